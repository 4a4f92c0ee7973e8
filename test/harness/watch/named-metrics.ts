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
