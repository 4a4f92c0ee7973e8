import { operationsOf } from './operations.ts';
import type { Json } from './schemas.ts';

/** A page of the documentation for integrators. `file`: below `docs/`. */
export type Guide = { file: string; title: string };

// The sections of the introduction that a program must know before its first call.
const sections = ['In short', 'Outcomes', 'Order of checks', 'Errors', 'Limits', 'Values', 'Lists'];

/** Makes the text for language models (llmstxt.org) from the OpenAPI document and the guides. */
export function llmsText({ info, paths }: { info: Json; paths: Json }, guides: readonly Guide[]): string {
  const [summary = '', ...parts] = String(info.description).split(/^## /m);
  const promises = parts.filter((part) => sections.includes(part.split('\n')[0]!.trim()));
  const lines = operationsOf(paths).map(
    ({ method, path, summary: title, isExtension }) =>
      `- \`${method} ${path}\`: ${title}${isExtension ? ' (extension)' : ''}`,
  );
  return `# ${info.title}

> ${summary.trim()}

Base URL: the address of this text without \`/llms.txt\`; it ends in \`/api/v1\`. Paths and links are relative to it.

## Operations

${lines.join('\n')}

${promises.map((part) => `## ${part.trim()}`).join('\n\n')}

## Documents

- [OpenAPI 3.1](openapi.json): every field, answer and example, with samples for curl and \`@inventory/client\`
- [Collection](collection.json): the same requests for Postman and Bruno
- [Page](docs): for people
${guides.map(({ file, title }) => `- [${title}](docs/${file})`).join('\n')}
`;
}
