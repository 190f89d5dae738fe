import { EventEmitter } from 'node:events';
import type { PgPool, PgPoolClient, PgQueryable, PgQueryResult } from 'bullmq';
import type { EmbeddedDatabase, EmbeddedResults, EmbeddedRunner } from './embedded-database.ts';

/**
 * PGlite as a `pg.Pool`, as far as BullMQ uses one. All clients share PGlite's single connection, so statements run one
 * at a time and wait for open transactions of other clients.
 */
export function createPglitePool(pglite: EmbeddedDatabase): PgPool {
  return new PglitePool(pglite);
}

/**
 * Runs BullMQ's migrator in one transaction, so that no other statement can come between: its own BEGIN and COMMIT
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
    // Each BullMQ object adds one error listener, so there are as many as queues and workers.
    this.setMaxListeners(0);
  }

  async query<R>(text: string, parameters?: readonly unknown[]): Promise<PgQueryResult<R>> {
    return runStatement(this.#pglite, text, parameters);
  }

  async connect(): Promise<PgPoolClient> {
    return new PgliteClient(this.#pglite);
  }

  /** Does nothing: PGlite is closed by its opener. */
  async end(): Promise<void> {}
}

class PgliteClient extends EventEmitter implements PgPoolClient {
  readonly #pglite: EmbeddedDatabase;
  readonly #stopListening: () => void;

  constructor(pglite: EmbeddedDatabase) {
    super();
    this.#pglite = pglite;
    // BullMQ issues LISTEN as a statement, which holds for the session; here its messages are forwarded.
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
  // Only the simple protocol accepts several statements at once, and only the extended one accepts parameters.
  if (parameters === undefined || parameters.length === 0) {
    const results = await runner.exec(text);
    // The row type is whatever the caller's SQL returns, as with `pg`.
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
