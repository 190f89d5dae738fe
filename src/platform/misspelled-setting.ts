/** Shorter names are one letter away from too many names that other software uses. */
const MIN_LENGTH = 8;
/**
 * Finds an environment variable that is most likely a typo of a known setting: the same name in another case, with its
 * underscores elsewhere or nowhere, or with one letter wrong, missing or added, or two swapped, but not the first. A
 * setting that is present under its right name, even blank, is skipped: whatever resembles it belongs to other
 * software.
 */
export function findMisspelledSetting(
  environment: Readonly<Record<string, string | undefined>>,
  settings: readonly string[],
  others: readonly string[],
): { found: string; meant: string } | null {
  const known = new Set([...settings, ...others]);
  const missed = settings.filter((name) => environment[name] === undefined);
  for (const [found, value] of Object.entries(environment)) {
    if (value === undefined || found.length < MIN_LENGTH) continue;
    if (known.has(found)) continue;
    const meant = missed.find((name) => isMisspelled(found.toUpperCase(), name));
    if (meant !== undefined) return { found, meant };
  }
  return null;
}

function isMisspelled(found: string, name: string): boolean {
  return lettersOf(found) === lettersOf(name) || isOneSlipAway(found, name);
}

function lettersOf(name: string): string {
  return name.replaceAll('_', '');
}

/** Whether the optimal string alignment distance of two names is at most 1. */
function isOneSlipAway(found: string, name: string): boolean {
  if (found[0] !== name[0] || Math.abs(found.length - name.length) > 1) return false;
  let start = 0;
  while (start < found.length && found[start] === name[start]) start += 1;
  const [left, right] = [found.slice(start), name.slice(start)];
  return (
    left.slice(1) === right.slice(1) ||
    left.slice(1) === right ||
    left === right.slice(1) ||
    (left[0] === right[1] && left[1] === right[0] && left.slice(2) === right.slice(2))
  );
}
