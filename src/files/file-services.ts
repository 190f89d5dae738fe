import type { FileStore } from './file-store.ts';
import type { OpenFiles } from './open-file-store.ts';
import type { ParserPool } from './parser-pool.ts';

/** The part of files that other features use. */
export interface FileServices {
  readonly files: FileStore;
  /** Deletes stored files that nobody owns. */
  readonly sweepFiles: OpenFiles['sweepFiles'];
  /** Starts its threads with the first file. */
  readonly parsers: ParserPool;
}
