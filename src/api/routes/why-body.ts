import type { DocumentRecord } from '#src/documents/store.ts';
import { explainDocument } from '#src/operations/explain-document.ts';
import { listPauses } from '#src/operations/pauses.ts';
import { listProcesses, servingOf } from '#src/operations/worker-processes.ts';
import { Problem } from '#src/platform/errors.ts';
import type { Services } from '#src/services.ts';

/** `GET /documents/{document_id}/why`, which the live topic of a document sends, too. */
export async function whyBody(
  { db, clock }: Pick<Services, 'db' | 'clock'>,
  document: DocumentRecord,
) {
  const now = clock();
  const pauses = await listPauses(db);
  const { searchable, sentence, since } = explainDocument(document, {
    now,
    workers: servingOf(await listProcesses(db, now), 'document-index').workers,
    isPaused: pauses.some(({ queue }) => queue === 'document-index'),
  });
  return {
    document_id: document.external_id,
    searchable,
    status: document.status,
    sentence,
    since: since.toISOString(),
  };
}

export function unknownDocument(id: string): Problem {
  return new Problem(
    'NOT_FOUND',
    `There is no document ${JSON.stringify(id.slice(0, 100))} in this workspace that you may see. It was never accepted, or it was deleted.`,
  );
}
