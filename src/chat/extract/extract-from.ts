import type { PassagesInput, readPassages } from '#src/documents/search/read-passages.ts';
import type { SearchHit } from '#src/documents/search/search-hit.ts';
import type { Asked } from './extract-answer.ts';
import { paraphraseQuestion } from './paraphrase-question.ts';
import { toSources } from './to-sources.ts';
import { type ExtractPiece, writeExtract } from './write-extract.ts';

/** `readPassages` bound to a workspace. */
export type ReadPassages = (
  wanted: Omit<PassagesInput, 'workspaceId'>,
) => ReturnType<typeof readPassages>;

/** The answer is often in another passage of the document than the one found. */
const DOCUMENTS_READ_ON = 10;
const PASSAGES_OF_EACH = 5;

/** An answer without a model from the hits of a search; `hits` is null when no search was allowed. */
export async function extractFrom(
  asked: Pick<Asked, 'question' | 'before'>,
  hits: readonly SearchHit[] | null,
  readOn: ReadPassages | null,
): Promise<ExtractPiece[]> {
  if (hits === null || hits.length === 0 || readOn === null) {
    return writeExtract({ ...asked, counts: null }, hits === null ? null : toSources(hits, []));
  }
  const { counts, further } = await readOn({
    query: [asked.before ?? '', asked.question].join(' '),
    besides: paraphraseQuestion(asked.question, asked.before),
    documentIds: hits.slice(0, DOCUMENTS_READ_ON).map(({ document_id }) => document_id),
    perDocument: PASSAGES_OF_EACH,
  });
  return writeExtract({ ...asked, counts }, toSources(hits, further));
}
