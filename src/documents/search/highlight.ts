import type { Span } from '#src/documents/block.ts';
import { takeTokens } from '#src/documents/count-tokens.ts';
import { isUnspaced } from '#src/documents/expand-word.ts';
import { scanTerms, tokenize, WORD_PATTERN } from '#src/documents/tokenize.ts';

const MAX_FRAGMENTS = 3;
const FRAGMENT_LENGTH = 200;
/** Characters shown before a fragment's first match. */
const LEAD_LENGTH = 50;
const BLURB_TOKENS = 128;
/** Chunks are far shorter; this bounds the work for any other text. */
const MAX_TEXT_LENGTH = 100_000;

interface Match extends Span {
  terms: string[];
}

/**
 * Up to three fragments of `text`, in order, around the words that match `queryTerms` (from `tokenize`), which are
 * wrapped in `<hi>…</hi>`. The text is not escaped: escape it before using it as HTML.
 */
export function highlight(text: string, queryTerms: readonly string[]): string[] {
  return highlighter(queryTerms)(text);
}

/** `highlight` for many texts: each word is compared with the query once, however often it occurs in them. */
export function highlighter(queryTerms: readonly string[]): (text: string) => string[] {
  const wanted = new Set(queryTerms);
  const known = new Map<string, string[]>();
  const matching = (word: string): string[] => {
    const before = known.get(word);
    if (before !== undefined) return before;
    const terms = tokenize(word).filter((term) => wanted.has(term));
    known.set(word, terms);
    return terms;
  };
  return (text) => {
    const shown = text.slice(0, MAX_TEXT_LENGTH);
    const matches = plainMatches(shown, wanted) ?? findMatches(shown, matching);
    return chooseFragments(shown, matches)
      .sort((a, b) => a.start - b.start)
      .map((fragment) => render(shown, fragment, matches));
  };
}

/** About the first 128 tokens of a chunk, ending at a word boundary. */
export function blurb(text: string): string {
  const reach = takeTokens(text, 0, text.length, BLURB_TOKENS);
  const isWhole = reach === text.length || /\s/.test(text.charAt(reach));
  const cut = text.slice(0, reach);
  const lastWord = isWhole ? cut : cut.replace(/\s\S*$/, '');
  return lastWord.trim();
}

/** Null when the text has more than plain words. */
function plainMatches(text: string, wanted: ReadonlySet<string>): Match[] | null {
  const matches: Match[] = [];
  const isPlain = scanTerms(text, (terms, start, end) => {
    if (!terms.some((term) => wanted.has(term))) return;
    matches.push({ start, end, terms: terms.filter((term) => wanted.has(term)) });
  });
  return isPlain ? matches : null;
}

function findMatches(text: string, matching: (word: string) => string[]): Match[] {
  const matches: Match[] = [];
  for (const { 0: word, index } of text.matchAll(WORD_PATTERN)) {
    const terms = matching(word);
    if (terms.length === 0) continue;
    if (isUnspaced(word)) matches.push(...findPairs(word, index, terms));
    else matches.push({ start: index, end: index + word.length, terms: [...terms] });
  }
  return matches;
}

/** For scripts without word boundaries (Chinese, Thai …): the matching character pairs, overlapping ones merged. */
function findPairs(word: string, offset: number, terms: readonly string[]): Match[] {
  const found: Match[] = [];
  for (const term of new Set(terms)) {
    for (let at = word.indexOf(term); at !== -1; at = word.indexOf(term, at + 1)) {
      found.push({ start: offset + at, end: offset + at + term.length, terms: [term] });
    }
  }
  const joined: Match[] = [];
  for (const match of found.sort((a, b) => a.start - b.start)) {
    const last = joined.at(-1);
    if (last === undefined || match.start > last.end) {
      joined.push(match);
    } else {
      last.end = Math.max(last.end, match.end);
      last.terms.push(...match.terms);
    }
  }
  return joined;
}

/** Greedily chooses non-overlapping fragments with the most distinct terms. */
function chooseFragments(text: string, matches: readonly Match[]): Span[] {
  const ranked = matches
    .map((match, index) => {
      const start = Math.max(0, match.start - LEAD_LENGTH);
      const end = Math.min(text.length, start + FRAGMENT_LENGTH);
      const terms = new Set<string>(match.terms);
      for (let next = index + 1; next < matches.length; next += 1) {
        const other = matches[next];
        if (other === undefined || other.end > end) break;
        for (const term of other.terms) terms.add(term);
      }
      return { start, end: Math.max(end, match.end), termCount: terms.size };
    })
    .sort((a, b) => b.termCount - a.termCount || a.start - b.start);
  const chosen: Span[] = [];
  for (const { start, end } of ranked) {
    if (chosen.length === MAX_FRAGMENTS) break;
    if (chosen.every((other) => end <= other.start || start >= other.end)) {
      chosen.push({ start, end });
    }
  }
  return chosen;
}

function render(text: string, fragment: Span, matches: readonly Match[]): string {
  const inside = matches.filter(({ start, end }) => start >= fragment.start && end <= fragment.end);
  const first = inside[0]?.start ?? fragment.start;
  const last = inside.at(-1)?.end ?? fragment.end;
  let from = wordStart(text, fragment.start, first);
  const to = wordEnd(text, fragment.end, last);
  let marked = '';
  for (const { start, end } of inside) {
    marked += `${text.slice(from, start)}<hi>${text.slice(start, end)}</hi>`;
    from = end;
  }
  return (marked + text.slice(from, to)).replace(/\s+/g, ' ').trim();
}

/** Moves a fragment's start forward to the start of a word, unless that passes its first match. */
function wordStart(text: string, start: number, firstMatch: number): number {
  if (start === 0 || /\s/.test(text.charAt(start - 1))) return start;
  const space = text.slice(start, firstMatch).search(/\s/);
  if (space !== -1) return start + space;
  return isLowSurrogate(text, start) ? start + 1 : start;
}

function wordEnd(text: string, end: number, lastMatch: number): number {
  if (end === text.length || /\s/.test(text.charAt(end))) return end;
  for (let at = end; at > lastMatch; at -= 1) {
    if (/\s/.test(text.charAt(at))) return at;
  }
  return isLowSurrogate(text, end) ? end - 1 : end;
}

function isLowSurrogate(text: string, at: number): boolean {
  return (text.charCodeAt(at) & 0xfc00) === 0xdc00;
}
