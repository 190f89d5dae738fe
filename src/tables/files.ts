import type { ColumnType, Generated } from 'kysely';
import type { StoredFileId, UserId, WorkspaceId } from '#src/ids.ts';
import type { Timestamp } from './column-types.ts';

interface StoredFileTable {
  id: StoredFileId;
  workspace_id: WorkspaceId;
  name: string;
  media_type: string;
  byte_count: number;
  /** What a zip's metadata file says about it; {} otherwise. */
  metadata: ColumnType<Record<string, unknown>, string | undefined, string>;
  created_by: UserId | null;
  /** Where its bytes are stored. */
  location: Generated<'database' | 'disk' | 's3'>;
  /** A vision model's description of an image; null before one was requested. */
  description: string | null;
  created_at: Timestamp;
}

interface StoredFilePartTable {
  stored_file_id: StoredFileId;
  part: number;
  content: Buffer;
}

/** Uploaded and generated files. */
export interface FilesTables {
  stored_file: StoredFileTable;
  stored_file_part: StoredFilePartTable;
}
