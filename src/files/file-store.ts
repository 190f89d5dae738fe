import type { StoredFileId, UserId, WorkspaceId } from '#src/ids.ts';

export interface StoredFile {
  id: StoredFileId;
  name: string;
  mediaType: string;
  byteCount: number;
  metadata: Record<string, unknown>;
  createdAt: Date;
}

export interface NewFile {
  workspaceId: WorkspaceId;
  createdBy: UserId | null;
  name: string;
  mediaType: string;
  metadata?: Record<string, unknown>;
}

/** Uploaded files, in the database: every process sees them, and they are backed up with the rest. */
export interface FileStore {
  /** Stores a stream part by part; nothing remains of one that breaks off. @throws Problem PAYLOAD_TOO_LARGE */
  save(file: NewFile, content: AsyncIterable<Uint8Array>): Promise<StoredFile>;
  find(workspaceId: WorkspaceId, id: StoredFileId): Promise<StoredFile | null>;
  read(workspaceId: WorkspaceId, id: StoredFileId): Promise<{ file: StoredFile; bytes: Buffer } | null>;
  remove(workspaceId: WorkspaceId, ids: readonly StoredFileId[]): Promise<void>;
}
