const TYPICAL_INDEX = /\/(?:index|default|home)\.\w{1,5}$/i;

/**
 * Which of two URLs with the same text names the document: the shorter one, and on a tie the alphabetically first.
 * This does not depend on the order of visits, so every run chooses the same.
 */
export function isBetterAddress(one: string, other: string): boolean {
  const [first, second] = [rankOf(one), rankOf(other)];
  if (first !== second) return first < second;
  return one.length === other.length ? one < other : one.length < other.length;
}

/** `/guide/` before `/guide/index.html`, and that before `/guide/?view=print`. */
function rankOf(address: string): number {
  const url = new URL(address);
  return (url.search === '' ? 0 : 2) + (TYPICAL_INDEX.test(url.pathname) ? 1 : 0);
}
