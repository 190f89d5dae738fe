/** Forms of address, which are not part of the name; academic titles are not included. */
const SALUTATION =
  /^(?:mrs?|ms|miss|mx|messrs|herrn?|hr|frau|fräulein|mme|mlle|madame|monsieur|mademoiselle|srta|sra?|señora?|señorita|senhora?|d\.?ª|dña|doña|sig|sig\.ra|signora?|signor|dhr|mevr|mw|mevrouw|pani|sayın|bayan|г-н|г-жа|господин|госпожа|κ)\.?\s+/iu;
/** "M. Étienne Lefèvre", but neither "M. A. Khan" nor "M. van Dijk". */
const MONSIEUR = /^M\.\s+(?=\p{Lu}[\p{L}'’-]+\s+\p{L}{2})/u;
/** "D. Pablo Llorente Sanz" with both surnames; with one, "D." may be an initial. */
const DON = /^D\.\s+(?=(?:\p{Lu}[\p{L}’'-]+\s+){2}\p{Lu}\p{L})/u;
/** "Herr und Frau Huber" are two people. */
const JOINED = /^(?:und|and|et|y|e|i|en|or|oder|&|\/)(?=\s)/iu;

/** A name without a leading "Herr", "Mrs." and the like; unchanged if only a surname would be left. */
export function withoutSalutation(name: string): string {
  const rest = name.replace(SALUTATION, '').replace(MONSIEUR, '').replace(DON, '').trim();
  return !rest.includes(' ') || JOINED.test(rest) ? name : rest;
}
