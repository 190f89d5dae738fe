import { removeCitations } from '#src/chat/citations/written-citations.ts';
import type { Source } from './read-candidates.ts';
import { escapeQuote } from './escape-quote.ts';
import { type Asked, extractAnswer, type Quote } from './extract-answer.ts';

const NOTE =
  'This answer is extractive: its sentences are quoted from the indexed documents, because no language model is configured.';
const NOTHING_FOUND =
  'I found nothing in the indexed documents that answers this. (Answers are extractive, quoted from the documents: no language model is configured.)';
const NOT_SEARCHED =
  'I cannot answer this: the request allows no search (`allowed_tool_ids`), and no language model is configured. Answers are then extractive and need documents to quote.';

const RUN_ON = ' ';
const PARAGRAPH = '\n\n';
/** Placeholder for the citation after a quote, whatever its link. */
const ANY_CITATION = ' [[1]](#end-of-quote)';

/** A part of the answer and the citation that follows it. */
export interface ExtractPiece {
  text: string;
  citation: number | null;
}

/**
 * An answer without a model: quotes with their citations and a closing note, or the sentence that explains why there is
 * none.
 */
export function writeExtract(asked: Asked, sources: readonly Source[] | null): ExtractPiece[] {
  if (sources === null) return [{ text: NOT_SEARCHED, citation: null }];
  const quotes = extractAnswer(asked, sources);
  if (quotes.length === 0) return [{ text: NOTHING_FOUND, citation: null }];
  return [...joinQuotes(quotes), { text: `\n\n_${NOTE}_`, citation: null }];
}

function joinQuotes(quotes: readonly Quote[]): ExtractPiece[] {
  const joins = joinsOf(quotes);
  return quotes.map((quote, index) => {
    // Adjacent sentences are cited together.
    const isCited = joins[index + 1] !== RUN_ON;
    return { text: joins[index] + shown(quote), citation: isCited ? quote.hit + 1 : null };
  });
}

/** The text before each quote. */
function joinsOf(quotes: readonly Quote[]): string[] {
  let paragraph = '';
  return quotes.map((quote, index) => {
    const text = shown(quote);
    let join = joinBefore(quotes[index - 1], quote);
    // Otherwise a stray backtick or an open tag would be closed here, and a citation in between would become code.
    if (join !== PARAGRAPH && hidesCitation(paragraph + join + text)) join = PARAGRAPH;
    paragraph = (join === PARAGRAPH ? '' : paragraph + join) + text + ANY_CITATION;
    return join;
  });
}

function hidesCitation(paragraph: string): boolean {
  return removeCitations(paragraph).includes(ANY_CITATION);
}

/** Adjacent sentences run on, and items of one document form a list; anything else is a separate paragraph. */
function joinBefore(previous: Quote | undefined, quote: Quote): string {
  if (previous === undefined) return '';
  if (runsOn(previous, quote)) return RUN_ON;
  const isList = previous.hit === quote.hit && previous.kind === 'item' && quote.kind === 'item';
  return isList ? '\n' : PARAGRAPH;
}

function runsOn(one: Quote, other: Quote): boolean {
  return other.continues && one.kind === 'sentence' && other.kind === 'sentence';
}

function shown(quote: Quote): string {
  const text = escapeQuote(quote.text);
  const name = quote.name === null ? '' : `${escapeQuote(quote.name)}: `;
  switch (quote.kind) {
    case 'sentence':
      return name + text;
    case 'item':
      return `- ${name}${text}`;
    case 'block':
      // A citation on the closing line would become part of the block.
      return `${name === '' ? '' : `${name.trimEnd()}\n\n`}${text}\n\n`;
  }
}
