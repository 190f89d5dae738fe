import { normalizeEmail } from './normalize-email.ts';
import { GAP, SEAM, TURNED } from './visible-page-text.ts';

export interface FoundEmail {
  email: string;
  /** Whether it was disguised by markup. */
  isDisguised: boolean;
}

const MAX_LOCAL = 80;
const MAX_DOMAIN = 270;
/** Per page; a longer list is not a list of contacts. */
const MAX_FOUND = 2_000;
const LOCAL_CHARACTER = /[\p{L}\p{M}\p{N}._+'’&~\uE000-\uE002-]/u;
const DOMAIN_CHARACTER = /[\p{L}\p{M}\p{N}.\uE000-\uE002-]/u;
const JOINS = /[._+-]/;

/** The addresses in a text that may contain the marks of `visiblePageText`; in linear time. */
export function scanEmails(text: string): FoundEmail[] {
  const found: FoundEmail[] = [];
  for (
    let at = text.indexOf('@');
    at !== -1 && found.length < MAX_FOUND;
    at = text.indexOf('@', at + 1)
  ) {
    const email = addressAround(text, at);
    if (email !== null) found.push(email);
  }
  return found;
}

function addressAround(text: string, at: number): FoundEmail | null {
  let start = at;
  while (start > 0 && at - start <= MAX_LOCAL && LOCAL_CHARACTER.test(text[start - 1] ?? '')) {
    start -= 1;
  }
  let end = at + 1;
  while (end < text.length && end - at <= MAX_DOMAIN && DOMAIN_CHARACTER.test(text[end] ?? '')) {
    end += 1;
  }
  if (at - start > MAX_LOCAL || end - at > MAX_DOMAIN) return null;
  // Part of a web address or of a longer chain.
  if (/[@/\\=]/.test(text[start - 1] ?? '') && /[/@]/.test(text[end] ?? '')) return null;
  if (text[end] === '@') return null;
  const left = joinedLocal(text.slice(start, at));
  for (const right of domainReadings(text.slice(at + 1, end))) {
    const email = normalizeEmail(`${withoutMarks(left)}@${withoutMarks(right)}`);
    if (email !== null) return { email, isDisguised: isDisguised(left, right) };
  }
  return null;
}

/** The text before the at sign, without a word of another element that touches it. */
export function joinedLocal(written: string): string {
  const pieces = written.split(SEAM);
  let local = pieces.pop() ?? '';
  for (let piece = pieces.pop(); piece !== undefined; piece = pieces.pop()) {
    const belongs =
      plainLength(local) === 0 ||
      plainLength(piece) <= 2 ||
      JOINS.test(piece.at(-1) ?? '') ||
      JOINS.test(local[0] ?? '');
    if (!belongs) break;
    local = piece + local;
  }
  return local;
}

/** The shortest reading first: the text after a seam often belongs to the next item. */
function* domainReadings(written: string): Generator<string> {
  const pieces = written.split(SEAM).slice(0, 8);
  let domain = '';
  for (const piece of pieces) {
    if (piece === '') continue;
    domain += piece;
    yield domain;
  }
  // `acme.deTel`: the next word follows directly, with no element between.
  const glued = /^(.*\.\p{Ll}{2,})\p{Lu}/u.exec(pieces[0] ?? '');
  if (glued?.[1] !== undefined) yield glued[1];
}

function isDisguised(left: string, right: string): boolean {
  const written = `${left}@${right}`;
  return trimmed(written).includes(GAP) || written.includes(TURNED);
}

function trimmed(text: string): string {
  let start = 0;
  let end = text.length;
  while (text[start] === GAP) start += 1;
  while (end > start && text[end - 1] === GAP) end -= 1;
  return text.slice(start, end);
}

function plainLength(text: string): number {
  return withoutMarks(text).length;
}

function withoutMarks(text: string): string {
  return text.replace(/[\uE000-\uE002]/g, '');
}
