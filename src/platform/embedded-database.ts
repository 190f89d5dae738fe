import type { PGlite, QueryOptions } from '@electric-sql/pglite';

/** Type OID of bytea. */
export const BYTEA_OID = 17;

/** The part of PGlite's results in use. */
export interface EmbeddedResults<Row = unknown> {
  rows: Row[];
  affectedRows?: number;
  fields: { name: string; dataTypeID: number }[];
}

/** Runs statements: the database, or one of its transactions. */
export interface EmbeddedRunner {
  query<Row>(
    statement: string,
    parameters?: unknown[],
    options?: QueryOptions,
  ): Promise<EmbeddedResults<Row>>;
  exec(statement: string): Promise<EmbeddedResults[]>;
}

export interface EmbeddedTransaction extends EmbeddedRunner {
  rollback(): Promise<void>;
}

/** The part of PGlite in use: one session, in this thread or in its own. */
export interface EmbeddedDatabase extends EmbeddedRunner {
  /** Holds the session: statements outside `run` wait until it has ended. */
  transaction<T>(run: (transaction: EmbeddedTransaction) => Promise<T>): Promise<T>;
  /** @returns a function that stops listening */
  onNotification(listen: (channel: string, payload: string) => void): () => void;
  close(): Promise<void>;
  readonly closed: boolean;
  readonly ready: boolean;
  readonly waitReady: PGlite['waitReady'];
}
