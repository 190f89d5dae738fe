/** What people are called by and not named; academic titles are not among them. */
const SALUTATION =
  /^(?:mrs?|ms|miss|mx|messrs|herrn?|hr|frau|fräulein|mme|mlle|madame|monsieur|mademoiselle|srta|sra?|señora?|señorita|senhora?|sig|sig\.ra|signora?|signor|dhr|mevr|mw|mevrouw|pani|sayın|bayan|г-н|г-жа|господин|госпожа|κ)\.?\s+/iu;
/** "M. Étienne Lefèvre", but neither "M. A. Khan" nor "M. van Dijk". */
const MONSIEUR = /^M\.\s+(?=\p{Lu}[\p{L}'’-]+\s+\p{L}{2})/u;
/** "Herr und Frau Huber" are two. */
const JOINED = /^(?:und|and|et|y|e|i|en|or|oder|&|\/)(?=\s)/iu;

/** A name without "Herr", "Mrs." and the like before it; with it, where nothing but a surname would be left. */
export function withoutSalutation(name: string): string {
  const rest = name.replace(SALUTATION, '').replace(MONSIEUR, '').trim();
  return !rest.includes(' ') || JOINED.test(rest) ? name : rest;
}
