import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';

/** A span as sent; links and parent by their span ids, attribute values as texts. */
export type ReceivedSpan = {
  service: string;
  name: string;
  traceId: string;
  spanId: string;
  parentSpanId: string;
  links: string[];
  attributes: Record<string, string>;
  status: number;
};

type Value = { stringValue?: string; intValue?: string | number; doubleValue?: number };
type Attribute = { key: string; value: Value };
type SentSpan = {
  name: string;
  traceId: string;
  spanId: string;
  parentSpanId?: string;
  links?: { spanId: string }[];
  attributes: Attribute[];
  status?: { code?: number };
};
type Sent = {
  resourceSpans: { resource: { attributes: Attribute[] }; scopeSpans: { spans: SentSpan[] }[] }[];
};

export type OtlpReceiver = { endpoint: string; spans: ReceivedSpan[]; close(): void };

/** A collector that takes traces as OTLP over HTTP, in JSON, and keeps them. */
export async function startOtlpReceiver(): Promise<OtlpReceiver> {
  const spans: ReceivedSpan[] = [];
  const server = createServer(async (request, response) => {
    let text = '';
    for await (const chunk of request.setEncoding('utf8')) text += chunk;
    const isTraces = request.method === 'POST' && request.url === '/v1/traces';
    if (isTraces) spans.push(...spansOf(JSON.parse(text)));
    response.writeHead(isTraces ? 200 : 404, { 'Content-Type': 'application/json' }).end('{}');
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  const { port } = server.address() as AddressInfo;
  return {
    endpoint: `http://127.0.0.1:${port}`,
    spans,
    close() {
      server.close();
      server.closeAllConnections();
    },
  };
}

function spansOf({ resourceSpans }: Sent): ReceivedSpan[] {
  return resourceSpans.flatMap(({ resource, scopeSpans }) => {
    const service = textsOf(resource.attributes)['service.name'] ?? '';
    return scopeSpans.flatMap((scope) =>
      scope.spans.map(({ name, traceId, spanId, parentSpanId = '', links = [], attributes, status }) => ({
        ...{ service, name, traceId, spanId, parentSpanId },
        links: links.map((link) => link.spanId),
        attributes: textsOf(attributes),
        status: status?.code ?? 0,
      })),
    );
  });
}

function textsOf(attributes: readonly Attribute[]): Record<string, string> {
  return Object.fromEntries(
    attributes.map(({ key, value }) => [
      key,
      String(value.stringValue ?? value.intValue ?? value.doubleValue ?? ''),
    ]),
  );
}
