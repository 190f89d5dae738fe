import { z } from 'zod';
import { CHAT_FILE_TYPES, type UserFileStatus } from '#src/tables/chat.ts';
import type { ShownUserFile } from './present-user-file.ts';

/** A file in the response of the earlier upload endpoint. */
export const legacyFileSchema = z
  .object({
    id: z
      .int()
      .describe('Made from the UUID, since old clients want a number; no endpoint takes it.'),
    name: z.string(),
    document_id: z.string(),
    folder_id: z.int().nullable(),
    user_id: z.string().nullable(),
    file_id: z.string().describe('For `image_file_id`, file_descriptors and /chat/file/{file_id}.'),
    created_at: z.iso.datetime(),
    assistant_ids: z.array(z.int()),
    token_count: z.int().nullable(),
    indexed: z.boolean(),
    link_url: z.string().nullable(),
    status: z.enum(['FAILED', 'INDEXING', 'INDEXED', 'REINDEXING']),
    chat_file_type: z.enum(CHAT_FILE_TYPES),
  })
  .meta({ id: 'LegacyUserFile' });

const STATUS: Readonly<Record<UserFileStatus, 'FAILED' | 'INDEXING' | 'INDEXED'>> = {
  PROCESSING: 'INDEXING',
  COMPLETED: 'INDEXED',
  FAILED: 'FAILED',
  CANCELED: 'FAILED',
  DELETING: 'FAILED',
};

export function presentLegacyFile(row: ShownUserFile): z.input<typeof legacyFileSchema> {
  return {
    id: Number.parseInt(row.id.slice(0, 8), 16) >>> 1,
    name: row.name,
    document_id: `USER_FILE_CONNECTOR__${row.stored_file_id}`,
    folder_id: null,
    user_id: row.user_id,
    file_id: row.stored_file_id,
    created_at: row.created_at.toISOString(),
    assistant_ids: [],
    token_count: row.token_count,
    indexed: row.status === 'COMPLETED',
    link_url: null,
    status: STATUS[row.status],
    chat_file_type: row.chat_file_type,
  };
}
