import type { Source } from './read-candidates.ts';
import { disarmQuote } from './disarm-quote.ts';
import { type Asked, extractAnswer, type Quote } from './extract-answer.ts';

const NOTE =
  'This answer is extractive: its sentences are quoted from the indexed documents, because no language model is configured.';
const NOTHING_FOUND =
  'I found nothing in the indexed documents that answers this. (Answers are extractive, quoted from the documents: no language model is configured.)';
const NOT_SEARCHED =
  'I cannot answer this: the request allows no search (`allowed_tool_ids`), and no language model is configured. Answers are then extractive and need documents to quote.';

/** A stretch of the answer and the citation that follows it. */
export interface ExtractPiece {
  text: string;
  citation: number | null;
}

/** An answer without a model: quotes with their citations and a closing note, or the sentence that says why not. */
export function writeExtract(asked: Asked, sources: readonly Source[] | null): ExtractPiece[] {
  if (sources === null) return [{ text: NOT_SEARCHED, citation: null }];
  const quotes = extractAnswer(asked, sources);
  if (quotes.length === 0) return [{ text: NOTHING_FOUND, citation: null }];
  const pieces = quotes.map((quote, index) => ({
    text: joinBefore(quotes[index - 1], quote) + shown(quote),
    citation: quote.hit + 1,
  }));
  return [...pieces, { text: `\n\n_${NOTE}_`, citation: null }];
}

/** Sentences of one document run on; everything else starts on a line of its own. */
function joinBefore(previous: Quote | undefined, quote: Quote): string {
  if (previous === undefined) return '';
  const isSameHit = previous.hit === quote.hit;
  if (isSameHit && previous.kind === 'sentence' && quote.kind === 'sentence') return ' ';
  if (isSameHit && previous.kind === 'item' && quote.kind === 'item') return '\n';
  return '\n\n';
}

function shown(quote: Quote): string {
  const text = disarmQuote(quote.text);
  switch (quote.kind) {
    case 'sentence':
      return text;
    case 'item':
      return `- ${text}`;
    case 'block':
      // A citation on the closing line would become part of the block.
      return `${text}\n\n`;
  }
}
