import type { StoredFileId, WorkspaceId } from '#src/ids.ts';

/** Which file: the address of its bytes follows from this alone, never from the name that a client gave. */
export interface FileAddress {
  workspaceId: WorkspaceId;
  id: StoredFileId;
}

/** One place where the bytes of files are kept. The row in `stored_file` says in which, and comes before them. */
export interface FileBytes {
  /** Nobody finds them before all are there and durable; nothing counts on what a broken-off write leaves behind. */
  write(address: FileAddress, content: AsyncIterable<Uint8Array>): Promise<void>;
  /** Null when they are gone. @throws RetryLater when the place cannot be reached */
  read(address: FileAddress, byteCount: number): Promise<Buffer | null>;
  /** Those that are not there are no error. */
  remove(address: FileAddress): Promise<void>;
  /**
   * All that is kept here, some at a time, what broken-off writes have left included; null when rows and bytes cannot
   * part, so that nobody needs to look.
   */
  list: (() => AsyncIterable<FileAddress[]>) | null;
}
