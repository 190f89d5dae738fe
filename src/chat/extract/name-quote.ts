import type { Candidate } from './read-candidates.ts';

/** Longer headings are sentences that happen to have a name in them. */
const MAX_LENGTH = 80;
const MAX_WORDS = 4;
/** `--cached`, `server.port`, `max_size`, `chunkSize`, `LimitRequestBody`, `.env`, `git-stash(1)`; also anything in backticks. */
const IDENTIFIER =
  /`[^`]+`|(?<![\p{L}\p{N}])(?:--?[a-z][\w-]*|\.[a-z]\w*|[\p{L}\p{N}]+(?:[._-][\p{L}\p{N}]+)*_[\p{L}\p{N}_]+|[\p{L}_]\w*\.[\p{L}_]\w*|[a-z]+[a-z0-9]*\p{Lu}\w*|(?:\p{Lu}[a-z0-9]+){2,}|[\w-]+\(\d\)|[a-z]+\(\))/u;
/** `mod_status - The server`: the name before a dash in a title. */
const BEFORE_DASH = /^(.{1,40}?)\s+[-–—|]\s/u;

/**
 * What a quote is about where it does not say so itself: the option, directive or command that it explains, as its
 * definition list, its heading or its document's title names it. Null when none of them is such a name.
 */
export function nameOfQuote({ unit, passage, documentName }: Candidate): string | null {
  const heading = unit.heading || (passage.headings.at(-1) ?? '');
  const name = [unit.term, heading, nameOfTitle(documentName)].find(isName);
  return name === undefined || says(unit.text, name) ? null : name.replace(/:$/, '');
}

/** The name of a document whose title is one, or begins with one. */
function nameOfTitle(title: string): string {
  return BEFORE_DASH.exec(title)?.[1] ?? title;
}

function isName(text: string): boolean {
  return (
    text.length <= MAX_LENGTH && text.split(/\s+/).length <= MAX_WORDS && IDENTIFIER.test(text)
  );
}

function says(text: string, name: string): boolean {
  const [found = ''] = IDENTIFIER.exec(name) ?? [];
  return text.toLowerCase().includes(
    found
      .replaceAll('`', '')
      .replace(/\(\d\)$/, '')
      .toLowerCase(),
  );
}
