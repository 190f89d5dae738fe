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

export type IngestServices = Pick<Services, 'config' | 'db' | 'documentAcceptor'>;

/** Accepts one parsed item; resolves once its row is committed. */
export async function acceptItem(
  services: IngestServices,
  { principal, requestId }: IngestCaller,
  item: IngestionItem,
): Promise<z.input<typeof acceptedSchema>> {
  await assertMayAttach(services, principal, item.cc_pair_id ?? null);
  const document = toIncomingDocument(item, {
    workspaceId: principal.workspaceId,
    requestId,
    maxBytes: services.config.MAX_DOCUMENT_BYTES,
  });
  return presentAccepted(await services.documentAcceptor.accept(document));
}

/** Members attach documents to their own pairs and to the default one. */
async function assertMayAttach(
  { db }: IngestServices,
  principal: Principal,
  ccPairId: number | null,
): Promise<void> {
  if (ccPairId === null || principal.role !== 'member') return;
  const others = await pairsOfOthers(db, principal.workspaceId, principal.userId, [ccPairId]);
  if (others.length > 0) {
    throw new Problem(
      'UNAUTHORIZED',
      `cc_pair_id ${ccPairId} belongs to another user; a member key attaches documents to its own pairs. Leave cc_pair_id out, or use a key with the role ingest or admin.`,
    );
  }
}
