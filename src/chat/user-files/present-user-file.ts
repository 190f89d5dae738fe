import type { Selectable } from 'kysely';
import { z } from 'zod';

import { CHAT_FILE_TYPES, USER_FILE_STATUSES } from '#src/tables/chat.ts';
import type { Tables } from '#src/tables/tables.ts';

/** A user's file in the platform family (UserFileSnapshot). */
export const userFileSchema = z
  .object({
    id: z.string().describe('For /user/projects/file/{file_id}.'),
    temp_id: z.string().nullable(),
    name: z.string(),
    project_id: z.int().nullable(),
    user_id: z.string().nullable(),
    file_id: z.string().describe('For file_descriptors and /chat/file/{file_id}.'),
    created_at: z.iso.datetime(),
    status: z.enum(USER_FILE_STATUSES),
    last_accessed_at: z.iso.datetime().nullable(),
    file_type: z.string().nullable().describe('Its media type.'),
    chat_file_type: z.enum(CHAT_FILE_TYPES),
    token_count: z.int().nullable(),
    chunk_count: z.int().nullable(),
    error: z.string().nullable().describe('Why it FAILED.'),
  })
  .meta({ id: 'UserFileSnapshot' });

export type UserFileSnapshot = z.input<typeof userFileSchema>;

/** The fields of a user file that are shown, without its text, which may be long. */
export const SHOWN_COLUMNS = [
  'user_file.id',
  'user_file.user_id',
  'user_file.stored_file_id',
  'user_file.name',
  'user_file.media_type',
  'user_file.chat_file_type',
  'user_file.status',
  'user_file.token_count',
  'user_file.chunk_count',
  'user_file.error',
  'user_file.created_at',
  'user_file.last_accessed_at',
] as const;

export type ShownUserFile = Pick<
  Selectable<Tables['user_file']>,
  | 'id'
  | 'user_id'
  | 'stored_file_id'
  | 'name'
  | 'media_type'
  | 'chat_file_type'
  | 'status'
  | 'token_count'
  | 'chunk_count'
  | 'error'
  | 'created_at'
  | 'last_accessed_at'
>;

/** @param tempId the uploader's own id for the file */
export function presentUserFile(
  row: ShownUserFile,
  tempId: string | null = null,
): UserFileSnapshot {
  return {
    id: row.id,
    temp_id: tempId,
    name: row.name,
    project_id: null,
    user_id: row.user_id,
    file_id: row.stored_file_id,
    created_at: row.created_at.toISOString(),
    status: row.status,
    last_accessed_at: row.last_accessed_at?.toISOString() ?? null,
    file_type: row.media_type,
    chat_file_type: row.chat_file_type,
    token_count: row.token_count,
    chunk_count: row.chunk_count,
    error: row.error,
  };
}
