import type { z } from 'zod';
import type { Principal } from '#src/accounts/principal.ts';
import { deriveId } from '#src/documents/derived-id.ts';
import { type acceptedSchema, presentAccepted } from '#src/documents/present-document.ts';
import type { BodyForm, ReadItem } from '#src/documents/read-documents.ts';
import { Problem } from '#src/platform/errors.ts';
import type { Services } from '#src/services.ts';

export interface IngestCaller {
  principal: Principal;
  requestId: string;
  /** Aborted when the client disconnects. */
  signal: AbortSignal;
}

export type IngestServices = Pick<
  Services,
  'config' | 'db' | 'documentAcceptor' | 'documentReader' | 'lineRoom' | 'log'
>;

/**
 * Parses and validates a body, in a thread when it is large.
 * @throws Problem when the body itself is invalid, or too many others are waiting to be read
 */
export function readItems(
  { config, documentReader }: IngestServices,
  { principal, requestId, signal }: IngestCaller,
  bytes: Buffer,
  form: BodyForm,
): Promise<ReadItem[]> {
  const { workspaceId, userId, role } = principal;
  const context = {
    workspaceId,
    writer: { userId, role },
    requestId,
    maxBytes: config.MAX_DOCUMENT_BYTES,
  };
  return documentReader.read(bytes, form, context, signal);
}

/**
 * Accepts one item; resolves once its row is committed.
 * @throws Problem with the reason why it is refused
 */
export async function acceptItem(
  services: IngestServices,
  { principal }: IngestCaller,
  item: ReadItem | undefined,
): Promise<z.input<typeof acceptedSchema>> {
  if (item === undefined) throw new Error('A body of one item was read as none.');
  if ('refused' in item) throw new Problem(item.refused.code, item.refused.message);
  const { document, unnamed } = item;
  const externalId =
    unnamed === null
      ? document.externalId
      : await deriveId(services.db, principal.workspaceId, unnamed.title, unnamed.ids);
  return presentAccepted(await services.documentAcceptor.acceptPacked({ ...document, externalId }));
}
