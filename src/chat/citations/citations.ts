import type { AnswerBody } from '#src/chat/wire/packets.ts';
import { isCitation } from './judge-citation.ts';
import { MAX_LINK_LENGTH, readTarget } from './read-link.ts';
import { safeLink } from './safe-link.ts';
import { CitationScanner, type CitationToken } from './scan-citations.ts';

/** A document that an answer may cite. */
export interface CitationSource {
  documentId: string;
  link: string | null;
}

export interface CitationStyle {
  /** `false` removes every citation. */
  isShown: boolean;
  /**
   * Whether the first code block without a language is labelled `plaintext` where there are sources, as clients of the
   * platform family expect. It alters the text, so nobody else gets it; `false` by default.
   */
  labelsCode?: boolean;
}

/** Limit of all links of an answer together; citations beyond it get an empty link. */
const MAX_LINK_CHARACTERS = 500_000;

/**
 * Turns the text of an answer, in pieces of any size, into `message_delta` and `citation_info` bodies: marks that are
 * citations (`isCitation`) become links, unknown numbers in them are removed, and everything else is unchanged. The
 * output does not depend on where the pieces were cut, and a link is never split over two deltas.
 */
export class CitationWriter {
  readonly #sources: ReadonlyMap<number, CitationSource>;
  readonly #isShown: boolean;
  /** The next code block without a language gets a label. */
  #labelsNext: boolean;
  readonly #announced = new Set<number>();
  readonly #scanner = new CitationScanner(MAX_LINK_LENGTH);
  #bodies: AnswerBody[] = [];
  #delta = '';
  /** Spaces that are dropped if a removed citation follows. */
  #blanks = '';
  #last: 'start' | 'blank' | 'text' | 'citation' = 'start';
  /** The latest mark was a citation, shown or removed, and nothing has followed it. */
  #isAdjacent = false;
  readonly #targets = new Map<number, string>();
  #linkRoom = MAX_LINK_CHARACTERS;

  constructor(
    sources: ReadonlyMap<number, CitationSource>,
    { isShown, labelsCode = false }: CitationStyle,
  ) {
    this.#sources = sources;
    this.#isShown = isShown;
    this.#labelsNext = labelsCode && sources.size > 0;
  }

  /** Adds text in which `[n]` is a citation. */
  write(text: string): AnswerBody[] {
    this.#add(this.#scanner.read(text));
    return this.#take();
  }

  /** Adds text verbatim, including any brackets. */
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

  /** Flushes what was held back: an incomplete citation at the end is text. */
  end(): AnswerBody[] {
    this.#finishPending();
    this.#putBlanks();
    return this.#take();
  }

  #finishPending(): void {
    this.#add(this.#scanner.end());
  }

  #add(tokens: readonly CitationToken[]): void {
    for (const token of tokens) {
      if (token.kind === 'text') this.#put(token.text);
      else if (token.kind === 'label') this.#putLabel();
      else if (isCitation(token, this.#isAdjacent, this.#sources))
        this.#putCitations(token.numbers);
      else this.#put(token.raw);
    }
  }

  #putLabel(): void {
    if (this.#labelsNext) this.#put('plaintext');
    this.#labelsNext = false;
  }

  /** Trailing blanks wait for what follows. */
  #put(text: string): void {
    const end = lengthWithoutBlanks(text);
    if (end > 0) {
      this.#putBlanks();
      this.#append(text.slice(0, end));
    }
    this.#blanks += text.slice(end);
    if (text !== '') this.#isAdjacent = false;
  }

  #putBlanks(): void {
    const blanks = this.#blanks;
    this.#blanks = '';
    this.#append(blanks);
  }

  #append(text: string): void {
    if (text === '') return;
    this.#delta += text;
    this.#last = /\s$/.test(text.slice(-1)) ? 'blank' : 'text';
  }

  #putCitations(numbers: readonly number[]): void {
    const known = [...new Set(numbers)].filter((number) => this.#sources.has(number));
    const blanks = this.#blanks;
    this.#blanks = '';
    this.#isAdjacent = true;
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

function lengthWithoutBlanks(text: string): number {
  let end = text.length;
  while (end > 0 && (text[end - 1] === ' ' || text[end - 1] === '\t')) end -= 1;
  return end;
}

/** A link as a Markdown destination, escaped so that nothing in it ends the link early. */
function linkTarget(link: string | null): string {
  const safe = safeLink(link);
  if (safe === null) return '';
  const target = safe.trim().replaceAll(/[\s<>\\]/g, (character) => encodeURIComponent(character));
  if (target.length > MAX_LINK_LENGTH - 2) return '';
  const isWhole = readTarget(`(${target})`, MAX_LINK_LENGTH)?.target === target;
  return isWhole ? target : target.replaceAll('(', '%28').replaceAll(')', '%29');
}
