import { diagnoses } from '@inventory/domain/operating/diagnoses';
import { dashboard } from '../../../monitoring/dashboard.ts';

type Panel = { title: string; type: string; targets?: { expr: string }[] };
const panels = (dashboard().panels as Panel[]).filter(({ type }) => type !== 'row');

/** The Prometheus expressions of the alerts and of the panels of the dashboard, each with its place. */
export const expressions = [
  ...Object.entries(diagnoses).map(([where, { expr }]) => ({ where, expr })),
  ...panels.flatMap(({ title, targets }) => targets!.map(({ expr }) => ({ where: title, expr }))),
];

const words = /^(?:sum|min|max|rate|increase|abs|absent|or|and|unless|histogram_quantile)$/;

/** The metrics that a Prometheus expression names, each with the labels it asks for. */
export function namedMetrics(expr: string): { metric: string; labels: string[] }[] {
  const bare = expr.replace(/\b(?:by|on) \([^)]*\)/g, '').replace(/\[[^\]]*\]/g, '');
  return [...bare.matchAll(/([a-zA-Z_]\w*)(?:\{([^}]*)\})?/g)]
    .map(([, metric, asked = '']) => ({
      metric: metric!,
      labels: [...asked.matchAll(/(\w+)(?:=|!)/g)].map(([, label]) => label!),
    }))
    .filter(({ metric }) => !words.test(metric));
}
