import type { AnswerBody } from '#src/chat/packets.ts';
import { opensCitation, readCitation, readOwnLink } from './read-citation.ts';
import { safeLink } from './safe-link.ts';

/** A document that an answer may cite. */
export interface CitationSource {
  documentId: string;
  link: string | null;
}

const PLAIN_RUN = /^[^`[【［\s]+/;
const BLANKS = /^[ \t]+/;
/** What may stand before a code fence on its line: indentation, quote marks, a list mark. */
const LINE_PREFIX = /^(?:[ \t>*+-]|\d+[.)])*$/;
/** Only the beginning of a line decides whether a fence may stand there. */
const MAX_LINE_PREFIX = 80;
/** What is longer is read in parts: nothing is held back without end. */
const MAX_BACKTICKS = 200;
const BACKTICKS = new RegExp(`^\`{1,${MAX_BACKTICKS}}`);
/** What may follow a fence: nothing on its line, or not yet. */
const UNLABELLED = /^[ \t]{0,100}\r?\n/;
const UNDECIDED = /^[ \t]{0,100}\r?$/;
/** Of all links of an answer together; citations after that have an empty one. */
const MAX_LINK_CHARACTERS = 500_000;

/**
 * Turns the text of an answer, in pieces of any size, into `message_delta` and `citation_info` bodies: known `[n]`
 * become links (in place of one that the model wrote behind it), unknown ones disappear, code fences stay as they are. The text that comes out does not depend on
 * where the pieces were cut, and no link is ever split over two deltas. `isShown: false` drops every citation.
 */
export class CitationWriter {
  readonly #sources: ReadonlyMap<number, CitationSource>;
  readonly #isShown: boolean;
  readonly #announced = new Set<number>();
  #bodies: AnswerBody[] = [];
  #delta = '';
  #pending = '';
  /** Spaces that vanish if a dropped citation follows. */
  #blanks = '';
  #line = '';
  /** Backticks that opened the present code block; 0 outside. */
  #fence = 0;
  /** A citation has just been read; a link that the model has put behind it is not wanted. */
  #mayHaveOwnLink = false;
  #last: 'start' | 'blank' | 'text' | 'citation' = 'start';
  readonly #targets = new Map<number, string>();
  #linkRoom = MAX_LINK_CHARACTERS;

  constructor(sources: ReadonlyMap<number, CitationSource>, isShown: boolean) {
    this.#sources = sources;
    this.#isShown = isShown;
  }

  /** Adds text in which `[n]` are citations. */
  write(text: string): AnswerBody[] {
    this.#pending += text;
    while (this.#pending !== '' && this.#step(false));
    return this.#take();
  }

  /** Adds text as it is, whatever brackets it holds. */
  quote(text: string): AnswerBody[] {
    this.#finishPending();
    this.#put(text);
    return this.#take();
  }

  /** Adds one citation. */
  cite(number: number): AnswerBody[] {
    this.#finishPending();
    this.#putCitations([number]);
    return this.#take();
  }

  /** What was held back: half a citation at the end is text. */
  end(): AnswerBody[] {
    this.#finishPending();
    this.#putBlanks();
    return this.#take();
  }

  #finishPending(): void {
    while (this.#pending !== '') this.#step(true);
    this.#mayHaveOwnLink = false;
  }

  /** Consumes the beginning of `#pending`; false when it cannot be decided before more text is there. */
  #step(isEnd: boolean): boolean {
    if (this.#mayHaveOwnLink) {
      const length = readOwnLink(this.#pending);
      if (length === null && !isEnd) return false;
      this.#mayHaveOwnLink = false;
      this.#pending = this.#pending.slice(length ?? 0);
      return true;
    }
    const next = this.#pending[0] ?? '';
    if (next === '`') return this.#stepBackticks(isEnd);
    if (this.#fence === 0 && opensCitation(next)) return this.#stepBracket(isEnd);
    const blanks = this.#fence === 0 ? BLANKS.exec(this.#pending)?.[0] : undefined;
    if (blanks !== undefined) {
      this.#pending = this.#pending.slice(blanks.length);
      this.#blanks += blanks;
      return true;
    }
    this.#consume(PLAIN_RUN.exec(this.#pending)?.[0].length ?? 1);
    return true;
  }

  #stepBracket(isEnd: boolean): boolean {
    const reading = readCitation(this.#pending);
    if (reading.kind === 'unfinished' && !isEnd) return false;
    if (reading.kind !== 'citation') {
      this.#consume(1);
      return true;
    }
    this.#pending = this.#pending.slice(reading.length);
    this.#putCitations(reading.numbers);
    this.#mayHaveOwnLink = true;
    return true;
  }

  #stepBackticks(isEnd: boolean): boolean {
    const run = BACKTICKS.exec(this.#pending)?.[0].length ?? 1;
    if (run === this.#pending.length && run < MAX_BACKTICKS && !isEnd) return false;
    const isFence = run >= 3 && LINE_PREFIX.test(this.#line + this.#blanks);
    if (!isFence || (this.#fence > 0 && run < this.#fence)) {
      this.#consume(run);
      return true;
    }
    if (this.#fence > 0) {
      this.#fence = 0;
      this.#consume(run);
      return true;
    }
    const label = this.#pending.slice(run);
    if (UNDECIDED.test(label) && !isEnd) return false;
    const isUnlabelled = UNLABELLED.test(label);
    this.#fence = run;
    this.#consume(run);
    if (isUnlabelled) this.#put('plaintext');
    return true;
  }

  #consume(length: number): void {
    const text = this.#pending.slice(0, length);
    this.#pending = this.#pending.slice(length);
    this.#put(text);
  }

  #put(text: string): void {
    if (text === '') return;
    this.#putBlanks();
    this.#append(text);
  }

  #putBlanks(): void {
    const blanks = this.#blanks;
    this.#blanks = '';
    this.#append(blanks);
  }

  #append(text: string): void {
    if (text === '') return;
    this.#delta += text;
    this.#last = /\s$/.test(text) ? 'blank' : 'text';
    const newline = text.lastIndexOf('\n');
    const line = newline === -1 ? this.#line + text : text.slice(newline + 1);
    this.#line = line.slice(0, MAX_LINE_PREFIX);
  }

  #putCitations(numbers: readonly number[]): void {
    const known = [...new Set(numbers)].filter((number) => this.#sources.has(number));
    const blanks = this.#blanks;
    this.#blanks = '';
    if (!this.#isShown) return;
    const space = blanks === '' && this.#last === 'text' ? ' ' : blanks;
    for (const [index, number] of known.entries())
      this.#putCitation(number, index > 0 ? ' ' : space);
  }

  #putCitation(number: number, space: string): void {
    const source = this.#sources.get(number);
    if (source === undefined) return;
    if (!this.#announced.has(number)) {
      this.#announced.add(number);
      this.#flush();
      this.#bodies.push({
        type: 'citation_info',
        citation_number: number,
        document_id: source.documentId,
      });
    }
    const target = this.#targets.get(number) ?? linkTarget(source.link);
    this.#targets.set(number, target);
    const isShort = target.length <= this.#linkRoom;
    if (isShort) this.#linkRoom -= target.length;
    this.#append(`${space}[[${number}]](${isShort ? target : ''})`);
    this.#last = 'citation';
  }

  #flush(): void {
    if (this.#delta === '') return;
    this.#bodies.push({ type: 'message_delta', content: this.#delta });
    this.#delta = '';
  }

  #take(): AnswerBody[] {
    this.#flush();
    const bodies = this.#bodies;
    this.#bodies = [];
    return bodies;
  }
}

/** The answer without its citations: every `[[n]](…)` goes, with the white space before it. */
export function removeCitations(answer: string): string {
  const links = [...answer.matchAll(/\[\[\d{1,9}\]\]\(/g)];
  if (links.length === 0) return answer;
  const ends = closingParentheses(answer);
  let kept = '';
  let from = 0;
  for (const { index, 0: opening } of links) {
    const end = ends.get(index + opening.length - 1);
    if (index < from || end === undefined) continue;
    kept += answer.slice(from, index).trimEnd();
    from = end + 1;
  }
  return kept + answer.slice(from);
}

/** For each parenthesis that opens, where the one is that closes it; in one pass. Backslashes escape. */
function closingParentheses(text: string): Map<number, number> {
  const ends = new Map<number, number>();
  const open: number[] = [];
  for (let index = 0; index < text.length; index += 1) {
    const character = text[index];
    if (character === '\\') index += 1;
    else if (character === '(') open.push(index);
    else if (character === ')') {
      const start = open.pop();
      if (start !== undefined) ends.set(start, index);
    }
  }
  return ends;
}

/** A link as a Markdown destination: nothing in it may end the link early. */
function linkTarget(link: string | null): string {
  const safe = safeLink(link);
  if (safe === null) return '';
  const target = safe.trim().replaceAll(/[\s<>\\]/g, (character) => encodeURIComponent(character));
  const isBalanced = closingParentheses(`(${target})`).get(0) === target.length + 1;
  return isBalanced ? target : target.replaceAll('(', '%28').replaceAll(')', '%29');
}
