const DEFINES =
  /^(.{1,80}?)(?:\s(?:is|are|means?|refers? to|stands? for|describes?|denotes?|was|were)\s|\s[–—-]\s|:\s)/;
/** `TLA (Three Letter Acronym)`: capitals, followed by capitalized words in brackets. */
const EXPANDED =
  /(?:^|[\s("'*_`])(\p{Lu}[\p{Lu}\p{N}-]{1,15})["'*_`]? \((?:[Tt]he )?["'*_`]?\p{Lu}\p{Ll}+(?:[ -]\p{L}+){1,6}["'*_`]?\)/u;
const CALLED =
  /\b(?:known as|called|termed|dubbed|referred to as) (?:the |an? )?["'“*_`]{0,3}([\p{L}\p{N}_-]{2,40})/u;

/** The subject of a definition: `X` of "X is …", "X: …", "X - …", "X (Full Name)" and "known as X"; empty when there is none. */
export function subjectOf(text: string): string {
  return EXPANDED.exec(text)?.[1] ?? DEFINES.exec(text)?.[1] ?? CALLED.exec(text)?.[1] ?? '';
}
