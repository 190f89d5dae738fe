import type { PGlite, QueryOptions } from '@electric-sql/pglite';

/** The type of bytes in Postgres. */
export const BYTEA_OID = 17;

/** The part of PGlite's results that is used. */
export interface EmbeddedResults<Row = unknown> {
  rows: Row[];
  affectedRows?: number;
  fields: { name: string; dataTypeID: number }[];
}

/** What statements are run on: the database, or a transaction of it. */
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

/** The part of PGlite that is used: one session, in this thread or in one of its own. */
export interface EmbeddedDatabase extends EmbeddedRunner {
  /** Holds the session: statements outside of `run` wait until it has ended. */
  transaction<T>(run: (transaction: EmbeddedTransaction) => Promise<T>): Promise<T>;
  /** @returns what ends it */
  onNotification(listen: (channel: string, payload: string) => void): () => void;
  close(): Promise<void>;
  readonly closed: boolean;
  readonly ready: boolean;
  readonly waitReady: PGlite['waitReady'];
}
