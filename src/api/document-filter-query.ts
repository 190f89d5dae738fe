import { z } from 'zod';
import { shownUnder } from '#src/connectors/kinds/source-spellings.ts';
import { cleanText } from '#src/documents/clean-text.ts';
import type { DocumentFilter } from '#src/documents/document-filter.ts';
import { DOCUMENT_STATUSES } from '#src/tables/documents.ts';

const filterText = z.string().trim().max(200).transform(cleanText);

/** What narrows a list of documents, in a query or in a body. */
export const documentFilterFields = {
  status: z.enum(DOCUMENT_STATUSES).optional(),
  source: z.string().max(64).transform(cleanText).optional(),
  cc_pair_id: z.coerce.number().int().min(1).max(2_147_483_647).optional(),
  document_set: filterText.optional().describe('The name of a document set.'),
  q: filterText.optional().describe('A part of the title or of the id, in any case.'),
};

const fields = z.object(documentFilterFields);

export function toDocumentFilter(
  { source, ...rest }: z.output<typeof fields>,
  framing: 'sse' | 'lines',
): DocumentFilter {
  return {
    status: rest.status ?? null,
    sources: source === undefined ? null : [source, ...shownUnder(source, framing)],
    ccPairId: rest.cc_pair_id ?? null,
    documentSet: rest.document_set || null,
    text: rest.q || null,
  };
}
