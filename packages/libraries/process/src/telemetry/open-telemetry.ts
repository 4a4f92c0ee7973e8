import { type Link, ROOT_CONTEXT, SpanKind, SpanStatusCode, trace } from '@opentelemetry/api';
import { AsyncLocalStorageContextManager } from '@opentelemetry/context-async-hooks';
import { OTLPTraceExporter } from '@opentelemetry/exporter-trace-otlp-http';
import { resourceFromAttributes } from '@opentelemetry/resources';
import { BasicTracerProvider, BatchSpanProcessor } from '@opentelemetry/sdk-trace-base';
import { describeError } from '../log/describe-error.ts';
import { within } from '../within.ts';
import type { SpanOptions, Tracing } from './tracing.ts';

// Only open-tracing.ts loads this file, and only if traces are wanted.

const kinds = {
  server: SpanKind.SERVER,
  producer: SpanKind.PRODUCER,
  consumer: SpanKind.CONSUMER,
  client: SpanKind.CLIENT,
};

// Limits for a collector that is down: no request waits for it, and spans beyond the limit are dropped.
const spansMax = 4096;
const sendEveryMs = 2000;
const sendWithinMs = 5000;
const endWithinMs = 3000;
const linksMax = 256;

const parentOf = /^00-([\da-f]{32})-([\da-f]{16})-([\da-f]{2})$/;

/** Starts to send spans to an OTLP endpoint over HTTP. An endpoint that does not answer does no harm. */
export function startTracing(endpoint: string, part: string): Tracing {
  const exporter = new OTLPTraceExporter({
    url: `${endpoint.replace(/\/+$/, '')}/v1/traces`,
    timeoutMillis: sendWithinMs,
  });
  const provider = new BasicTracerProvider({
    resource: resourceFromAttributes({ 'service.name': process.env.OTEL_SERVICE_NAME || part }),
    spanLimits: { linkCountLimit: linksMax },
    spanProcessors: [
      new BatchSpanProcessor(exporter, {
        maxQueueSize: spansMax,
        scheduledDelayMillis: sendEveryMs,
        exportTimeoutMillis: sendWithinMs,
      }),
    ],
  });
  const contexts = new AsyncLocalStorageContextManager().enable();
  const tracer = provider.getTracer('inventory');

  const start = (name: string, { kind, attributes = {}, links = [], isRoot = false }: SpanOptions) =>
    tracer.startSpan(
      name,
      {
        kind: kind === undefined ? SpanKind.INTERNAL : kinds[kind],
        attributes: { ...attributes },
        links: links.flatMap((link) => linkTo(link) ?? []),
      },
      isRoot ? ROOT_CONTEXT : contexts.active(),
    );

  return {
    async span(name, options, work) {
      const span = start(name, options);
      try {
        return await contexts.with(trace.setSpan(contexts.active(), span), () =>
          work({
            set: (attributes) => void span.setAttributes({ ...attributes }),
            rename: (other) => void span.updateName(other),
          }),
        );
      } catch (error) {
        fail(span, error);
        throw error;
      } finally {
        span.end();
      }
    },
    begin(name, options) {
      if (trace.getSpan(contexts.active()) === undefined) return null;
      const span = start(name, options);
      return (error) => {
        if (error !== undefined) fail(span, error);
        span.end();
      };
    },
    current() {
      const found = trace.getSpan(contexts.active())?.spanContext();
      if (found === undefined) return undefined;
      return `00-${found.traceId}-${found.spanId}-0${found.traceFlags & 1}`;
    },
    async end() {
      await within(endWithinMs, provider.shutdown()).catch(() => {});
    },
  };
}

/** Records an error as in a log, without values and passwords. */
function fail(span: ReturnType<ReturnType<typeof trace.getTracer>['startSpan']>, error: unknown): void {
  const { type, message, code } = describeError(error) as Record<string, unknown>;
  span.setStatus({ code: SpanStatusCode.ERROR, message: String(message ?? code ?? type ?? 'failed') });
}

function linkTo(text: string | undefined): Link | null {
  const [, traceId, spanId, flags] = parentOf.exec(text ?? '') ?? [];
  if (traceId === undefined || spanId === undefined) return null;
  return { context: { traceId, spanId, traceFlags: Number.parseInt(flags!, 16), isRemote: true } };
}
