import type { CitationNumbers } from '#src/chat/citations/citation-numbers.ts';
import type { SearchHit } from '#src/documents/search/search-hit.ts';
import { escapeQuote } from './escape-quote.ts';
import { extractAnswer } from './extract-answer.ts';
import { toSources } from './to-sources.ts';
import type { ExtractPiece } from './write-extract.ts';

const NOTE =
  'The language model ended without an answer. These passages are quoted from what its searches found.';

/** An answer for a model that gives none: quotes from its search results, and a note; empty when nothing fits. */
export function writeQuotes(
  question: string,
  hits: readonly SearchHit[],
  numbers: CitationNumbers,
): ExtractPiece[] {
  const quotes = extractAnswer({ question, before: null, counts: null }, toSources(hits, []));
  if (quotes.length === 0) return [];
  const numberOf = new Map(
    [...numbers.documents].map(([number, { document_id }]) => [document_id, number]),
  );
  const pieces = quotes.map(({ text, hit }, index) => ({
    text: `${index === 0 ? '' : '\n\n'}> ${escapeQuote(text).replaceAll('\n', '\n> ')}`,
    citation: numberOf.get(hits[hit]?.document_id ?? '') ?? null,
  }));
  return [...pieces, { text: `\n\n_${NOTE}_`, citation: null }];
}
