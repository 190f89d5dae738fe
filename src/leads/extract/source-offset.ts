/** After this many values not found in the source, further searches cost more than they bring. */
const MAX_MISSES = 20;

/** Finds the positions of values in a page's source; values must be requested in page order. */
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
