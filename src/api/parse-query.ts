/**
 * The values of a query string by name: a string, or all strings of a name that is repeated, in order. Koa's own
 * function looks for the others of every pair, which takes a tenth of a second for 3,000 repetitions.
 */
export function parseQuery(text: string): Record<string, string | string[]> {
  const pairs = Map.groupBy(new URLSearchParams(text), ([name]) => name);
  return Object.fromEntries(
    Array.from(pairs, ([name, [first, ...others]]) => {
      const value = first?.[1] ?? '';
      return [name, others.length === 0 ? value : [value, ...others.map(([, other]) => other)]];
    }),
  );
}
