import { readFrontMatter } from './front-matter.ts';

/** A part of a document that can be quoted by itself: complete, in one language, without Markdown marks. */
export interface Unit {
  kind: 'sentence' | 'item' | 'block';
  text: string;
  /** Whether it begins with a link: what it names is explained where that leads. */
  isPointer: boolean;
  /** The heading above it in the text, without marks; empty when there is none. */
  heading: string;
  /** The term of a definition list that it explains; empty when there is none. */
  term: string;
  /** Number of its section, in order: units of one section are about the same thing. */
  section: number;
}

const MAX_SENTENCE_LENGTH = 400;
const MAX_BLOCK_LENGTH = 1_500;
/** A longer table is quoted row by row. */
const MAX_TABLE_LENGTH = 600;
const MAX_ROW_LENGTH = 600;

const FENCE = /^\s{0,3}(`{3,}|~{3,})/;
const HEADING_START = /^\s{0,3}#{1,6}\s+/;
/** Explains the line before it. */
const DEFINITION = /^\s*:\s+/;
const MAX_TERM_LENGTH = 100;
const LINK_START = /^[*_`]{0,3}\[[^\]]{1,200}\]\([^)#]/;
/** A link to a place on the same page, as in a table of contents. */
const CONTENTS_ENTRY = /^[*_`]{0,3}\[[^\]]{1,200}\]\(#[^)]{0,200}\)[*_`]{0,3}$/;
const LIST_ITEM = /^\s*(?:[-*+]|\d{1,9}[.)])\s+(?:\[[ xX]\]\s+)?/;
/** Of a line without surrounding blanks. */
const TABLE_DELIMITER = /^\|?\s*:?-+:?(?:\s*\|\s*:?-+:?)+\s*\|?$/;
const RULE = /^\s*(?:[-*_=]\s*){3,}$/;
/** False sentence ends: the segmenter does not know abbreviations, nor initials such as `Ada K.` */
const ABBREVIATION =
  /(?:^|[\s(])(?:Dr|Mr|Mrs|Ms|Prof|St|vs|No|Fig|approx|e\.g|i\.e|cf|al|(?<=\p{Lu}\p{Ll}+\s)\p{Lu})\.\s*$/u;
/** The full stop that begins a name such as `.LCK`. */
const LEADING_STOP = /\s\.$/;

/**
 * Splits Markdown or plain text into quotable units, in order. Code blocks and small tables stay whole; in tables that
 * are large or truncated, each row is an item. Code that is truncated or too long to quote is omitted.
 */
export function splitUnits(text: string): Unit[] {
  const units: Unit[] = [];
  const lines = withoutCutCode([...readFrontMatter(text.split(/\r?\n/))]);
  let place = { heading: '', term: '', section: 0 };
  let paragraph: string[] = [];
  let kind: Unit['kind'] = 'sentence';

  const endParagraph = (): void => {
    const raw = paragraph.join(' ');
    const isPointer = LINK_START.test(raw);
    paragraph = [];
    const parts = CONTENTS_ENTRY.test(raw) ? [] : splitParagraph(cleanMarkdown(raw), kind);
    for (const part of parts) units.push({ kind, text: part, isPointer, ...place });
    kind = 'sentence';
  };
  const enter = (heading: string, term: string): void => {
    place = { heading, term, section: place.section + 1 };
  };

  for (let index = 0; index < lines.length; index += 1) {
    const line = lines[index] ?? '';
    const isCode = FENCE.test(line);
    const blockLength = isCode ? fenceLength(lines, index) : tableLength(lines, index);
    const headingText = headingOf(line);
    if (blockLength !== null) {
      endParagraph();
      const block = lines.slice(index, index + blockLength.lines);
      const parts = isCode ? codeUnits(block, blockLength) : tableUnits(block, blockLength);
      for (const part of parts) units.push({ ...part, isPointer: false, ...place });
      index += blockLength.lines - 1;
    } else if (headingText !== null) {
      endParagraph();
      enter(cleanMarkdown(headingText), '');
    } else if (line.trim() === '' || RULE.test(line)) {
      endParagraph();
    } else if (DEFINITION.test(line) && isTerm(paragraph)) {
      const term = cleanMarkdown(paragraph.join(' '));
      enter(place.heading, term);
      paragraph = [`${term}: ${line.replace(DEFINITION, '')}`];
    } else if (LIST_ITEM.test(line)) {
      endParagraph();
      kind = 'item';
      paragraph.push(line.replace(LIST_ITEM, ''));
    } else {
      // What explains a term is indented.
      const leavesTerm = place.term !== '' && paragraph.length === 0 && /^\S/.test(line);
      if (leavesTerm) enter(place.heading, '');
      paragraph.push(line.replace(/^\s*>+\s?/, '').trim());
    }
  }
  endParagraph();
  return units;
}

function isTerm(lines: readonly string[]): boolean {
  const [line = ''] = lines;
  return lines.length === 1 && line.length <= MAX_TERM_LENGTH;
}

/** Drops the rest of a code block that began before the text: its closing fence has no opening one. */
function withoutCutCode(lines: string[]): string[] {
  const fences = [...lines.entries()].filter(([, line]) => FENCE.test(line));
  const [first, ...rest] = fences;
  if (first === undefined || !isBareFence(first) || !rest.every(isOpenedAndClosed)) return lines;
  // A truncated block at the end makes the number of fences even, but then a named fence is where a bare one would
  // close.
  const closes = rest.length % 2 === 0 || rest.some((fence) => !isBareFence(fence));
  return closes ? lines.slice(first[0] + 1) : lines;
}

function isBareFence([, line]: [number, string]): boolean {
  return /^\s*[`~]+\s*$/.test(line);
}

/** Whether the fences alternate: an opening one, with or without a language, then a bare one. */
function isOpenedAndClosed(fence: [number, string], place: number): boolean {
  return place % 2 === 0 || isBareFence(fence);
}

/** Without its marks, including trailing ones; null when the line is not a heading. */
function headingOf(line: string): string | null {
  const start = HEADING_START.exec(line)?.[0].length;
  if (start === undefined) return null;
  let end = line.length;
  while (end > start && line[end - 1] === '#') end -= 1;
  return line.slice(start, end).trimEnd();
}

interface BlockLength {
  lines: number;
  isWhole: boolean;
}

function fenceLength(lines: readonly string[], start: number): BlockLength {
  const mark = FENCE.exec(lines[start] ?? '')?.[1] ?? '```';
  const end = lines.findIndex((line, index) => index > start && line.trim().startsWith(mark));
  if (end === -1) return { lines: lines.length - start, isWhole: false };
  return { lines: end - start + 1, isWhole: true };
}

/** Null when no table begins at `start`. */
function tableLength(lines: readonly string[], start: number): BlockLength | null {
  const isRow = (line: string | undefined): boolean => line?.trim().startsWith('|') === true;
  const hasHeader =
    (lines[start] ?? '').includes('|') && TABLE_DELIMITER.test((lines[start + 1] ?? '').trim());
  if (!hasHeader && !isRow(lines[start])) return null;
  let end = hasHeader ? start + 2 : start + 1;
  while (end < lines.length && (lines[end] ?? '').includes('|')) end += 1;
  return { lines: end - start, isWhole: hasHeader };
}

type Part = Pick<Unit, 'kind' | 'text'>;

function codeUnits(lines: readonly string[], { isWhole }: BlockLength): Part[] {
  const text = lines.join('\n');
  return isWhole && text.length <= MAX_BLOCK_LENGTH ? [{ kind: 'block', text }] : [];
}

function tableUnits(lines: readonly string[], { isWhole }: BlockLength): Part[] {
  const text = lines.join('\n');
  if (isWhole && text.length <= MAX_TABLE_LENGTH) return [{ kind: 'block', text }];
  const rows = isWhole ? lines.slice(2) : lines;
  return rows.flatMap((line) => {
    const shown = rowText(line);
    return shown === '' || shown.length > MAX_ROW_LENGTH ? [] : [{ kind: 'item', text: shown }];
  });
}

/** `| a | b | c |` → `a: b; c`. */
function rowText(line: string): string {
  const cells = line
    .trim()
    .replace(/^\|/, '')
    .split(/(?<!\\)\|/)
    .map((cell) => cleanMarkdown(cell.replaceAll(String.raw`\|`, '|')))
    .filter((cell) => cell !== '' && !/^:?-+:?$/.test(cell));
  const [first = '', ...others] = cells;
  return others.length === 0 ? first : `${first}: ${others.join('; ')}`;
}

function splitParagraph(text: string, kind: Unit['kind']): string[] {
  if (text === '') return [];
  if (kind === 'item' && text.length <= MAX_SENTENCE_LENGTH) return [text];
  return splitSentences(text).flatMap(splitLong);
}

function splitSentences(text: string): string[] {
  const segmenter = new Intl.Segmenter('en', { granularity: 'sentence' });
  const sentences: string[] = [];
  let open = '';
  for (const { segment, index } of segmenter.segment(text)) {
    open += segment;
    const isOpen = ABBREVIATION.test(open) || LEADING_STOP.test(open);
    if (isOpen || isInCode(open, text.slice(index + segment.length))) continue;
    sentences.push(open.trim());
    open = '';
  }
  if (open.trim() !== '') sentences.push(open.trim());
  return sentences.filter((sentence) => sentence !== '');
}

/** Whether a full stop ends a command or name in backticks rather than a sentence. */
function isInCode(open: string, rest: string): boolean {
  return open.split('`').length % 2 === 0 && rest.includes('`');
}

/** Splits text without full stops, such as a log, between words where possible. */
function splitLong(sentence: string): string[] {
  const pieces: string[] = [];
  let rest = sentence;
  while (rest.length > MAX_SENTENCE_LENGTH) {
    const space = rest.lastIndexOf(' ', MAX_SENTENCE_LENGTH);
    const cut = space > MAX_SENTENCE_LENGTH / 2 ? space : MAX_SENTENCE_LENGTH;
    pieces.push(rest.slice(0, cut).toWellFormed().trim());
    rest = rest.slice(cut).trim();
  }
  return rest === '' ? pieces : [...pieces, rest];
}

/** HTML elements that people write into Markdown, unless they are shown as code. */
const TAG_OR_CODE =
  /`[^`]{1,500}`|<\/?(?:a|abbr|b|br|center|dd|details|div|dl|dt|em|font|h[1-6]|hr|i|img|kbd|li|ol|p|small|span|strong|sub|summary|sup|u|ul)(?:\s[^<>]{0,300})?\/?>/gi;

/** Removes images, tags and comments; links keep only their text, since a relative link leads nowhere from here. */
function cleanMarkdown(text: string): string {
  const shown = text
    .replaceAll(TAG_OR_CODE, withoutTag)
    .replaceAll(/!\[[^\]]{0,500}\]\([^)]{0,2000}\)/g, '')
    .replaceAll(/(?<!\[)\[([^\][]{1,500})\]\([^)]{0,2000}\)/g, '$1');
  return withoutComments(shown)
    .replaceAll(/[ \t]+/g, ' ')
    .trim();
}

function withoutTag(found: string): string {
  if (found.startsWith('`')) return found;
  return /^<br/i.test(found) ? ' ' : '';
}

function withoutComments(text: string): string {
  let kept = '';
  let from = 0;
  for (;;) {
    const start = text.indexOf('<!--', from);
    const end = start === -1 ? -1 : text.indexOf('-->', start + '<!--'.length);
    if (end === -1) return kept + text.slice(from);
    kept += text.slice(from, start);
    from = end + '-->'.length;
  }
}
