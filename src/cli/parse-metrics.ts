/** One sample of a Prometheus page. */
export interface Sample {
  name: string;
  labels: Record<string, string>;
  value: number;
}

/**
 * The samples of a metrics page whose names start with `prefix`; comments and other lines are skipped. Format:
 * Prometheus text exposition 0.0.4.
 */
export function parseMetrics(text: string, prefix: string): Sample[] {
  const samples: Sample[] = [];
  for (const line of text.split('\n')) {
    const match = /^([A-Za-z_:][\w:]*)(?:\{(.*)\})?\s+(\S+)/.exec(line);
    if (!match?.[1]?.startsWith(prefix)) continue;
    const value = Number(match[3]);
    if (!Number.isNaN(value))
      samples.push({ name: match[1], labels: parseLabels(match[2] ?? ''), value });
  }
  return samples;
}

function parseLabels(text: string): Record<string, string> {
  const labels: Record<string, string> = {};
  for (const [, name = '', value = ''] of text.matchAll(/(\w+)="((?:[^"\\]|\\.)*)"/g)) {
    labels[name] = value.replace(/\\(.)/g, (_, escaped: string) =>
      escaped === 'n' ? '\n' : escaped,
    );
  }
  return labels;
}
