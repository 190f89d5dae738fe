import type { z } from 'zod';
import type { Principal } from '#src/accounts/principal.ts';
import { deriveId } from '#src/documents/derived-id.ts';
import { type IngestionItem, toIncomingDocument } from '#src/documents/incoming-document.ts';
import { type acceptedSchema, presentAccepted } from '#src/documents/present-document.ts';
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
  const { workspaceId, userId, role } = principal;
  const { id, semantic_identifier: title } = item.document;
  const document = toIncomingDocument(item, {
    workspaceId,
    writer: { userId, role },
    ...(!id && { derivedId: await deriveId(services.db, workspaceId, title) }),
    requestId,
    maxBytes: services.config.MAX_DOCUMENT_BYTES,
  });
  return presentAccepted(await services.documentAcceptor.accept(document));
}
