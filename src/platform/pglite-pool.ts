import { EventEmitter } from 'node:events';
import type { PgPool, PgPoolClient, PgQueryable, PgQueryResult } from 'bullmq';
import type { EmbeddedDatabase, EmbeddedResults, EmbeddedRunner } from './embedded-database.ts';

/**
 * PGlite in the shape of a `pg.Pool`, as far as BullMQ uses one. Every client shares PGlite's single connection,
 * so statements run one after the other and a statement waits for an open transaction of someone else.
 */
export function createPglitePool(pglite: EmbeddedDatabase): PgPool {
  return new PglitePool(pglite);
}

/**
 * Runs BullMQ's migrator in one transaction that nobody else's statement can slip into: its own BEGIN and COMMIT
 * would be plain statements on the shared connection.
 */
export async function migrateInPglite(
  pglite: EmbeddedDatabase,
  migrate: (client: PgQueryable) => Promise<unknown>,
): Promise<void> {
  await pglite.transaction(async (transaction) => {
    await migrate({
      query: async (text, parameters) =>
        /^\s*(BEGIN|COMMIT|ROLLBACK)\s*$/i.test(text)
          ? { rows: [], rowCount: 0 }
          : runStatement(transaction, text, parameters),
    });
  });
}

class PglitePool extends EventEmitter implements PgPool {
  readonly #pglite: EmbeddedDatabase;

  constructor(pglite: EmbeddedDatabase) {
    super();
    this.#pglite = pglite;
    // One BullMQ object, one error listener: there are as many as queues and workers.
    this.setMaxListeners(0);
  }

  async query<R>(text: string, parameters?: readonly unknown[]): Promise<PgQueryResult<R>> {
    return runStatement(this.#pglite, text, parameters);
  }

  async connect(): Promise<PgPoolClient> {
    return new PgliteClient(this.#pglite);
  }

  /** Does nothing: PGlite belongs to whoever opened it. */
  async end(): Promise<void> {}
}

class PgliteClient extends EventEmitter implements PgPoolClient {
  readonly #pglite: EmbeddedDatabase;
  readonly #stopListening: () => void;

  constructor(pglite: EmbeddedDatabase) {
    super();
    this.#pglite = pglite;
    // LISTEN is issued by BullMQ as a statement and stays for the session; here its messages are passed on.
    this.#stopListening = pglite.onNotification((channel, payload) => {
      this.emit('notification', { channel, payload });
    });
  }

  async query<R>(text: string, parameters?: readonly unknown[]): Promise<PgQueryResult<R>> {
    return runStatement(this.#pglite, text, parameters);
  }

  release(): void {
    this.#stopListening();
    this.removeAllListeners();
  }
}

async function runStatement<R>(
  runner: EmbeddedRunner,
  text: string,
  parameters?: readonly unknown[],
): Promise<PgQueryResult<R>> {
  // Only the simple protocol takes several statements at once, and only the extended one takes parameters.
  if (parameters === undefined || parameters.length === 0) {
    const results = await runner.exec(text);
    // The row type is what the SQL of the caller says it is, as with `pg`.
    return toPgResult(results.at(-1) as EmbeddedResults<R> | undefined);
  }
  return toPgResult(
    await runner.query<R>(
      text,
      parameters.map((value) => value ?? null),
    ),
  );
}

function toPgResult<R>(results: EmbeddedResults<R> | undefined): PgQueryResult<R> {
  return {
    rows: results?.rows ?? [],
    rowCount: Math.max(results?.affectedRows ?? 0, results?.rows.length ?? 0),
  };
}
