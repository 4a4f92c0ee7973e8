import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { everyCheck } from '../apps/admin/src/doctor/examine.ts';
import { inventoryCommand } from '../packages/domain/src/operating/called-as.ts';
import { type Alert, adviceOf, diagnoses, sentenceOf } from '../packages/domain/src/operating/diagnoses.ts';
import { dashboard } from './dashboard.ts';

const alerts = Object.keys(diagnoses) as Alert[];
const quoted = (text: string) => `'${text.replaceAll("'", "''")}'`;

function ruleOf(alert: Alert): string {
  const { labels, expr, for: forText, keepFiringFor, figures } = diagnoses[alert];
  return `
      - alert: ${alert}
        expr: ${quoted(expr)}${forText === undefined ? '' : `\n        for: ${forText}`}${keepFiringFor === undefined ? '' : `\n        keep_firing_for: ${keepFiringFor}`}
        labels: { severity: ${labels.severity}, cause: ${labels.cause} }
        annotations:
          summary: ${quoted(sentenceOf(alert, figures))}
          description: ${quoted(adviceOf(alert))}
`;
}

const rules = `# Written by \`npx -y pnpm@12 monitoring\` from packages/domain/src/operating/diagnoses.ts.
groups:
  - name: inventory
    interval: 5s
    rules:${alerts.map(ruleOf).join('')}`;

/** A point of a list, in lines of at most 120 columns. */
function pointOf(text: string): string {
  const lines = [''];
  // As the documents name a command. A link is not broken.
  const named = `- ${text.replaceAll(inventoryCommand(''), 'inventory ')}`;
  for (const word of named.match(/\[[^\]]*\]\([^)]*\)\S*|\S+/g) ?? []) {
    const line = lines.at(-1)!;
    if (line.length + word.length < 120) lines[lines.length - 1] = line === '' ? word : `${line} ${word}`;
    else lines.push(`  ${word}`);
  }
  return `${lines.join('\n')}\n`;
}

function sectionOf(alert: Alert): string {
  const { labels, lookAt, act, more } = diagnoses[alert];
  const points = [
    `**Meaning:** ${labels.severity}. ${sentenceOf(alert)}`,
    `**Look at:** ${lookAt}`,
    `**Do:** ${act}${more === undefined ? '' : ` ${more}`}`,
  ];
  return `### ${alert}\n\n${points.map(pointOf).join('')}`;
}

/** The page, with what the code says in place of two chapters' ends: all from their first `start` on. */
function alertsPage(page: string): string {
  const chapters = [
    { start: '### ', text: alerts.map(sectionOf).join('\n'), of: '## What to do at each alert\n' },
    {
      start: '- `',
      text: everyCheck.map(({ id, wanted }) => pointOf(`\`${id}\`: ${wanted}`)).join(''),
      of: '## What doctor checks\n',
    },
  ];
  return chapters.reduce((text, { of, start, text: written }) => {
    const from = text.indexOf(`\n${start}`, text.indexOf(of)) + 1;
    return text.slice(0, from) + written + text.slice(text.indexOf('\n## ', from));
  }, page);
}

/** The text of each file in the repository that the code writes, by its path. */
export function writtenFiles(): Record<string, string> {
  const page = readFileSync(join(import.meta.dirname, '../docs/alerts.md'), 'utf8');
  const files = {
    'monitoring/grafana/dashboards/inventory.json': `${JSON.stringify(dashboard(), null, 2)}\n`,
    'monitoring/prometheus/rules.yml': rules,
    'docs/alerts.md': alertsPage(page),
  };
  const named = ([file, text]: [string, string]) => [
    file,
    text.replaceAll(inventoryCommand(''), 'inventory '),
  ];
  return Object.fromEntries(Object.entries(files).map(named));
}
