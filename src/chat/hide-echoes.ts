/** Shorter runs than this are words that any two texts share. */
const MIN_ECHO = 16;

/** `words` without the passages that they repeat from `texts`: providers like to quote what they were sent. */
export function hideEchoes(words: string, texts: readonly string[]): string {
  const isEcho = Array.from({ length: words.length }, () => false);
  for (let index = 0; index + MIN_ECHO <= words.length; index += 1) {
    const run = words.slice(index, index + MIN_ECHO);
    if (texts.some((text) => text.includes(run))) isEcho.fill(true, index, index + MIN_ECHO);
  }
  let shown = '';
  for (let index = 0; index < words.length; index += 1) {
    if (!isEcho[index]) shown += words[index];
    else if (index === 0 || !isEcho[index - 1]) shown += '[…]';
  }
  return shown;
}
