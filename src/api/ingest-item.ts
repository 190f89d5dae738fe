import type { z } from 'zod';
import type { Principal } from '#src/accounts/principal.ts';
import { type IngestionItem, toIncomingDocument } from '#src/documents/incoming-document.ts';
import { type acceptedSchema, presentAccepted } from '#src/documents/present-document.ts';
import { pairsOfOthers } from '#src/documents/store.ts';
import { Problem } from '#src/platform/errors.ts';
import type { Services } from '#src/services.ts';

export interface IngestCaller {
  principal: Principal;
  requestId: string;
}

export type IngestServices = Pick<Services, 'config' | 'db' | 'documentAcceptor' | 'log'>;

/** Accepts one parsed item; resolves once its row is committed. */
export async function acceptItem(
  services: IngestServices,
  { principal, requestId }: IngestCaller,
  item: IngestionItem,
): Promise<z.input<typeof acceptedSchema>> {
  const document = toIncomingDocument(item, {
    workspaceId: principal.workspaceId,
    requestId,
    maxBytes: services.config.MAX_DOCUMENT_BYTES,
  });
  await assertMayChange(services, principal, document);
  return presentAccepted(await services.documentAcceptor.accept(document));
}

/**
 * Members write and delete the documents of their own pairs and of the default one.
 * @throws Problem UNAUTHORIZED when another user's pair is named, or has the document
 */
export async function assertMayChange(
  { db }: Pick<IngestServices, 'db'>,
  { role, workspaceId, userId }: Principal,
  { externalId, ccPairId }: { externalId: string; ccPairId: number | null },
): Promise<void> {
  if (role !== 'member') return;
  const ids = ccPairId === null ? [] : [ccPairId];
  const [other] = await pairsOfOthers(db, workspaceId, userId, { ids, externalId });
  if (other === undefined) return;
  throw new Problem(
    'UNAUTHORIZED',
    `cc_pair_id ${other} belongs to another user; a member key changes documents of its own pairs. Use another document id without this pair, or a key with the role ingest or admin.`,
  );
}
