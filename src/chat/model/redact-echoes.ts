/** Shorter runs than this are words that any two texts share. */
const MIN_ECHO = 12;
/** Quotes, white space and their escapes: JSON in JSON in JSON has any number of backslashes. */
const NOISE = /\\+[bfnrt]|[\\\s"']+/g;

/** `words` without the passages that they repeat from `texts`, however escaped: providers often quote the request. */
export function redactEchoes(words: string, texts: readonly string[]): string {
  const { plain, places } = squeeze(words);
  const plainTexts = texts.map((text) => text.replaceAll(NOISE, ''));
  const isEcho = Array.from({ length: words.length }, () => false);
  for (let index = 0; index + MIN_ECHO <= plain.length; index += 1) {
    const run = plain.slice(index, index + MIN_ECHO);
    const [from = 0, to = 0] = [places[index], places[index + MIN_ECHO - 1]];
    if (plainTexts.some((text) => text.includes(run))) isEcho.fill(true, from, to + 1);
  }
  let shown = '';
  for (let index = 0; index < words.length; index += 1) {
    if (!isEcho[index]) shown += words[index];
    else if (index === 0 || !isEcho[index - 1]) shown += '[…]';
  }
  return shown;
}

/** A text without this noise, and the original position of each character. */
function squeeze(text: string): { plain: string; places: number[] } {
  const places: number[] = [];
  let from = 0;
  const keep = (to: number): void => {
    for (let index = from; index < to; index += 1) places.push(index);
  };
  for (const match of text.matchAll(NOISE)) {
    keep(match.index);
    from = match.index + match[0].length;
  }
  keep(text.length);
  return { plain: text.replaceAll(NOISE, ''), places };
}
