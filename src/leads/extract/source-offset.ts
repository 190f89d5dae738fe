/** After so many values that the source does not hold as they are, looking on costs more than it tells. */
const MAX_MISSES = 20;

/** Finds where values stand in a page's source; values are asked for in the order of the page. */
export function sourceOffsets(html: string): (value: string) => number | null {
  let from = 0;
  let misses = 0;
  return (value) => {
    if (value === '' || misses > MAX_MISSES) return null;
    const at = html.indexOf(value, from);
    if (at === -1) {
      misses += 1;
      return null;
    }
    from = at + 1;
    return at;
  };
}
