/** Shorter names are one letter away from too many words that other software uses. */
const MIN_LENGTH = 8;
/** One letter away from a setting of Millrace, and used by much other software. */
const NAMES_OF_OTHERS: ReadonlySet<string> = new Set(['LOGLEVEL']);

/**
 * Finds a name in the environment that is most likely a slip of the keyboard for a known setting: the same in another
 * case, or with one letter wrong, missing, too many, or two of them swapped, not the first. A setting that is there
 * under its right name, even blank, is not missed, so whatever resembles it belongs to somebody else.
 */
export function findMisspeltSetting(
  environment: Readonly<Record<string, string | undefined>>,
  settings: readonly string[],
  others: readonly string[],
): { found: string; meant: string } | null {
  const known = new Set([...settings, ...others]);
  const missed = settings.filter((name) => environment[name] === undefined);
  for (const [found, value] of Object.entries(environment)) {
    if (value === undefined || found.length < MIN_LENGTH) continue;
    if (known.has(found) || NAMES_OF_OTHERS.has(found)) continue;
    const meant = missed.find((name) => isOneSlipAway(found.toUpperCase(), name));
    if (meant !== undefined) return { found, meant };
  }
  return null;
}

/** Whether the optimal string alignment distance of two names is at most 1. */
function isOneSlipAway(found: string, name: string): boolean {
  if (found === name) return true;
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
