const DEFINES =
  /^(.{1,80}?)(?:\s(?:is|are|means?|refers? to|stands? for|describes?|denotes?|was|were)\s|\s[–—]\s|:\s)/;

/** What a sentence or row explains: `X` of "X is …" and of "X: …"; empty when it explains nothing. */
export function subjectOf(text: string): string {
  return DEFINES.exec(text)?.[1] ?? '';
}
