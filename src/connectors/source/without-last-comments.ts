/** XML up to its last tag: generators of feeds and sitemaps often append a comment. */
export function withoutLastComments(text: string): string {
  let end = text.trimEnd().length;
  while (text.startsWith('-->', end - 3)) {
    const comment = text.lastIndexOf('<!--', end - 3);
    if (comment === -1) break;
    end = comment;
    while (end > 0 && /\s/.test(text.charAt(end - 1))) end -= 1;
  }
  return text.slice(0, end);
}
