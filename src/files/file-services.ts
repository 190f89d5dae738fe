import type { FileStore } from './file-store.ts';
import type { OpenFiles } from './open-file-store.ts';
import type { ParserPool } from './parser-pool.ts';

/** What other features take of files. */
export interface FileServices {
  readonly files: FileStore;
  /** Deletes stored files that belong to nobody. */
  readonly sweepFiles: OpenFiles['sweepFiles'];
  /** Starts its threads when the first file comes. */
  readonly parsers: ParserPool;
}
