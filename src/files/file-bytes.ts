import type { StoredFileId, WorkspaceId } from '#src/ids.ts';

/** Identifies a file. The location of its bytes is derived from this alone, never from a name that a client gave. */
export interface FileAddress {
  workspaceId: WorkspaceId;
  id: StoredFileId;
}

/** One place where the bytes of files are stored. The row in `stored_file` names the place and is written first. */
export interface FileBytes {
  /**
   * The file becomes visible only when all bytes are durable. An interrupted write may leave bytes behind, which
   * nothing reads.
   */
  write(address: FileAddress, content: AsyncIterable<Uint8Array>): Promise<void>;
  /**
   * Null when the bytes no longer exist.
   * @throws RetryLater when the place cannot be reached
   */
  read(address: FileAddress, byteCount: number): Promise<Buffer | null>;
  /** Missing bytes are not an error. */
  remove(address: FileAddress): Promise<void>;
  /**
   * Lists everything stored here, in batches, including the remains of interrupted writes; null when bytes cannot exist
   * without their row, so no sweep is needed.
   */
  list: (() => AsyncIterable<FileAddress[]>) | null;
}
