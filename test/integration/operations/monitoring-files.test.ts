import { readFileSync } from 'node:fs';
import path from 'node:path';
import { afterAll, beforeAll, expect, it } from 'vitest';
import { startTestMillrace, type TestMillrace } from '#test/support/test-millrace.ts';

const FOLDER = path.resolve(import.meta.dirname, '../../../docs/operations');
const read = (name: string): string => readFileSync(path.join(FOLDER, name), 'utf8');

let millrace: TestMillrace;
let exposed: ReadonlySet<string>;
beforeAll(async () => {
  millrace = await startTestMillrace();
  const { text } = await millrace.call('GET', '/metrics');
  exposed = new Set(
    Array.from(text.matchAll(/^# TYPE (\S+) (\S+)$/gm), ([, name = '', type]) =>
      type === 'histogram' ? [`${name}_bucket`, `${name}_sum`, `${name}_count`] : [name],
    ).flat(),
  );
});
afterAll(() => millrace[Symbol.asyncDispose]());

const KEYWORDS = new Set(['and', 'or', 'unless', 'by', 'without', 'on', 'ignoring', 'bool']);

/** The names in an expression that stand where PromQL expects a metric. */
function metricsIn(expr: string): string[] {
  const bare = expr
    .replaceAll(/"[^"]*"/g, '')
    .replaceAll(/\{[^}]*\}|\[[^\]]*\]/g, ' ')
    .replaceAll(/\b(?:by|without|on|ignoring)\s*\([^)]*\)/g, ' ')
    .replaceAll(/\b[a-z_]\w*(?=\s*\()/g, ' ')
    // An aggregation may have its labels before its argument.
    .replaceAll(/\b(?:sum|max|min|avg|count)\b/g, ' ');
  return (bare.match(/\b[a-zA-Z_:][\w:]*/g) ?? []).filter((word) => !KEYWORDS.has(word));
}

const unknownIn = (expressions: readonly string[]): string[] =>
  expressions.flatMap(metricsIn).filter((name) => !exposed.has(name));

it('finds the metrics of an expression, and nothing else', () => {
  expect(
    metricsIn('sum by (queue) (rate(a_total{b="c"}[5m])) > 0.1 * max(d) and absent(e_bucket)'),
  ).toEqual(['a_total', 'd', 'e_bucket']);
  expect(unknownIn(['max(millrace_queue_wokers)'])).toEqual(['millrace_queue_wokers']);
});

it('every metric of the alert rules is exposed by a running Millrace', () => {
  // An expression stands on the line of its key, or indented below it.
  const expressions = Array.from(
    read('prometheus-alerts.yml').matchAll(/^( +)expr: (?:\|\n((?:\1 +.*\n)+)|(.*)$)/gm),
    ([, , below, beside]) => below ?? beside ?? '',
  );
  const alerts = read('prometheus-alerts.yml').match(/^ +- alert: /gm) ?? [];
  expect(expressions).toHaveLength(alerts.length);
  expect(expressions.every((one) => metricsIn(one).length > 0)).toBe(true);
  expect(unknownIn(expressions)).toEqual([]);
});

it('every metric of the dashboard is exposed by a running Millrace', () => {
  const expressions = Array.from(
    read('grafana-dashboard.json').matchAll(/^ *"expr": (".*"),?$/gm),
    ([, text = '""']) => String(JSON.parse(text)),
  );
  const panels = read('grafana-dashboard.json').match(/"gridPos"/g) ?? [];
  expect(expressions.length).toBeGreaterThanOrEqual(panels.length);
  expect(expressions.every((one) => metricsIn(one).length > 0)).toBe(true);
  expect(unknownIn(expressions)).toEqual([]);
});
