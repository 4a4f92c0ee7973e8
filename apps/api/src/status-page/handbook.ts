const escapes: Record<string, string> = { '&': '&amp;', '<': '&lt;', '>': '&gt;', '"': '&quot;' };
const escaped = (text: string) => text.replace(/[&<>"]/g, (found) => escapes[found]!);

/** The anchor of a heading, formed as on GitHub. */
function anchorOf(heading: string): string {
  return heading
    .toLowerCase()
    .replace(/[^\w\- ]/g, '')
    .replaceAll(' ', '-');
}

/** The HTML of a paragraph. Links within the page stay links; a link to another page becomes its text. */
function spanOf(text: string): string {
  return escaped(text)
    .replace(/`([^`]+)`/g, '<code>$1</code>')
    .replace(/\*\*([^*]+)\*\*/g, '<b>$1</b>')
    .replace(/\[([^\]]+)\]\((#[\w-]+)?[^)]*\)/g, (_, words, anchor) =>
      anchor === undefined ? words : `<a href="${anchor}">${words}</a>`,
    );
}

function tableOf([head, , ...rows]: string[]): string {
  const row = (line: string, tag: string) => {
    const cells = line.split(/(?<!\\)\|/).slice(1, -1);
    return `<tr>${cells.map((cell) => `<${tag}>${spanOf(cell.trim())}</${tag}>`).join('')}</tr>`;
  };
  return `<div class="scroll"><table>${row(head!, 'th')}${rows.map((each) => row(each, 'td')).join('\n')}</table></div>`;
}

function blockOf(block: string): string {
  const [, level, heading] = /^(#{1,4}) (.+)$/.exec(block) ?? [];
  if (heading !== undefined) {
    const tag = `h${level!.length}`;
    return `<${tag} id="${anchorOf(heading)}">${spanOf(heading)}</${tag}>`;
  }
  if (block.startsWith('|')) return tableOf(block.split('\n'));
  if (/^(- |\d+\. )/.test(block)) {
    const points = block
      .split(/^(?=- |\d+\. )/m)
      .map((point) => `<li>${spanOf(point.replace(/^- /, ''))}</li>`);
    return `<ul>${points.join('\n')}</ul>`;
  }
  return `<p>${spanOf(block)}</p>`;
}

/**
 * Renders a page of the documentation as HTML, for operators who can only reach this port. Each heading has
 * an anchor. It supports only the Markdown that docs/alerts.md uses.
 */
export function handbookPage(markdown: string): string {
  const [title = ''] = markdown.split('\n');
  const body = markdown.split(/^```\w*\n([\s\S]*?)^```$/m).map((part, index) =>
    index % 2 === 1
      ? `<pre>${escaped(part)}</pre>`
      : part
          .split(/\n{2,}/)
          .map((block) => block.trim())
          .filter((block) => block !== '')
          .map(blockOf)
          .join('\n'),
  );
  return `<!doctype html>
<html lang="en">
<head>
<meta charset="utf-8">
<meta name="viewport" content="width=device-width, initial-scale=1">
<meta name="color-scheme" content="light dark">
<title>${escaped(title.replace(/^# /, ''))}</title>
<link rel="stylesheet" href="page.css">
</head>
<body class="handbook">
${body.join('\n')}
</body>
</html>
`;
}
