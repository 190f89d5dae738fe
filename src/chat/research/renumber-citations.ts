import { type CitableDocuments, isCitation } from '#src/chat/citations/judge-citation.ts';
import { CitationScanner } from '#src/chat/citations/scan-citations.ts';

/** Maximum length of a link that a model put after a citation. */
const MAX_TARGET = 2_100;

/** The numbers of `documents` that a text cites, each once, in the order of their first citation. */
export function citedNumbers(text: string, documents: CitableDocuments): number[] {
  const cited = new Set<number>();
  renumberCitations(text, documents, (number) => {
    if (documents.has(number)) cited.add(number);
    return number;
  });
  return [...cited];
}

/**
 * Replaces each cited number of `documents` by its `numberOf`; a citation without a number is removed. Everything else
 * stays unchanged.
 */
export function renumberCitations(
  text: string,
  documents: CitableDocuments,
  numberOf: (number: number) => number | undefined,
): string {
  const scanner = new CitationScanner(MAX_TARGET);
  let renumbered = '';
  let isAdjacent = false;
  for (const token of [...scanner.read(text), ...scanner.end()]) {
    if (token.kind === 'label') continue;
    isAdjacent = token.kind === 'mark' && isCitation(token, isAdjacent, documents);
    if (token.kind !== 'mark' || !isAdjacent) {
      renumbered += token.kind === 'mark' ? token.raw : token.text;
      continue;
    }
    const numbers = new Set(token.numbers.map(numberOf).filter((number) => number !== undefined));
    renumbered =
      numbers.size > 0 ? `${renumbered}[${[...numbers].join(', ')}]` : renumbered.trimEnd();
  }
  return renumbered;
}
