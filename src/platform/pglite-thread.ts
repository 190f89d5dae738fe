import { parentPort, workerData } from 'node:worker_threads';
import type { PGlite, QueryOptions, Results, Transaction } from '@electric-sql/pglite';
import type { EmbeddedResults } from './embedded-database.ts';
import { StartError } from './errors.ts';
import { messageOf } from './message-of.ts';
import { openPglite, watchTraps } from './pglite.ts';

/** A statement, or the start or end of a transaction. The answer repeats the id of the call. */
export type PgliteCall = { id: number } & (
  | {
      kind: 'query';
      transaction: number | null;
      statement: string;
      parameters: unknown[];
      options: QueryOptions;
    }
  | { kind: 'exec'; transaction: number | null; statement: string }
  | { kind: 'begin' | 'commit' | 'rollback'; transaction: number }
  | { kind: 'close' }
);

/** A database error as plain data: cloning an `Error` would lose code, detail and constraint. */
export interface PgliteFailure {
  message: string;
  isStartError: boolean;
  fields: Record<string, string>;
}

/** The answer to a call, a notification, or the reason why no more answers follow. Call 0 is the opening. */
export type PgliteAnswer =
  | { id: number; results: EmbeddedResults | EmbeddedResults[] | null }
  | { id: number; failure: PgliteFailure }
  | { channel: string; payload: string }
  | { crash: string };

interface OpenTransaction {
  transaction: Transaction;
  /** Lets it commit, unless it was rolled back. */
  end: () => void;
  ended: Promise<void>;
}

/** Omitted: standard error fields, and the statement with its parameters, which must not leak. */
const LEFT_OUT = new Set(['message', 'stack', 'query', 'params']);

/** After a WebAssembly trap the state inside Postgres is permanently inconsistent. */
let trap: Error | null = null;

/** Serves one embedded database to the thread that started this one. */
async function serve(): Promise<void> {
  const { directory } = workerData as { directory: string | null }; // from pglite-client.ts
  const pglite = await openPglite(directory);
  const open = new Map<number, OpenTransaction>();
  watchTraps(pglite.Module, (error) => {
    // The reason of the panic is more informative; without one, further calls to Postgres are useless.
    if (trap !== null) crash(trap.message);
    trap = new Error(messageOf(error), { cause: error });
  });
  pglite.onNotification((channel, payload) => post({ channel, payload }));
  parentPort?.on('message', (call: PgliteCall) => {
    void answer(call.id, () => perform(pglite, open, call));
  });
}

async function answer(
  id: number,
  work: () => Promise<EmbeddedResults | EmbeddedResults[] | void>,
): Promise<void> {
  try {
    const results = (await work()) ?? null;
    if (trap !== null) throw trap;
    post({ id, results });
  } catch (error) {
    const failure = failureOf(error);
    post({ id, failure });
    if (trap !== null || failure.fields['severity'] === 'FATAL') crash(failure.message);
  }
}

/**
 * Ends this thread because Postgres has ended, for example on a full disk. Further statements would never be answered.
 */
function crash(reason: string): never {
  post({ crash: reason });
  process.exit(1);
}

async function perform(
  pglite: PGlite,
  open: Map<number, OpenTransaction>,
  call: PgliteCall,
): Promise<EmbeddedResults | EmbeddedResults[] | void> {
  switch (call.kind) {
    case 'query':
      return withoutUnusedFields(
        await runnerOf(pglite, open, call).query(call.statement, call.parameters, call.options),
      );
    case 'exec':
      return (await runnerOf(pglite, open, call).exec(call.statement)).map(withoutUnusedFields);
    case 'begin':
      open.set(call.transaction, await begin(pglite));
      return;
    case 'commit':
    case 'rollback':
      return end(open, call.transaction, call.kind);
    case 'close':
      return pglite.close();
  }
}

function runnerOf(
  pglite: PGlite,
  open: Map<number, OpenTransaction>,
  { transaction }: { transaction: number | null },
): PGlite | Transaction {
  return transaction === null ? pglite : find(open, transaction).transaction;
}

/** A statement of a transaction that has ended must not run outside it. */
function find(open: Map<number, OpenTransaction>, number: number): OpenTransaction {
  const found = open.get(number);
  if (!found) throw new Error('The transaction has ended.');
  return found;
}

/** Resolves when the transaction has begun; it holds the single connection until it is told to end. */
function begin(pglite: PGlite): Promise<OpenTransaction> {
  return new Promise((resolve, reject) => {
    const last = Promise.withResolvers<void>();
    const ended = pglite.transaction(async (transaction) => {
      resolve({ transaction, end: last.resolve, ended });
      await last.promise;
    });
    // Has no effect once the transaction has begun; the call that ends it gets the failure.
    ended.catch(reject);
  });
}

async function end(
  open: Map<number, OpenTransaction>,
  number: number,
  how: 'commit' | 'rollback',
): Promise<void> {
  const found = find(open, number);
  open.delete(number);
  try {
    if (how === 'rollback') await found.transaction.rollback();
  } finally {
    found.end();
  }
  await found.ended;
}

/** Fields have more properties, which would cost more to clone than most rows. */
function withoutUnusedFields({ rows, affectedRows, fields }: Results): EmbeddedResults {
  return {
    rows,
    ...(affectedRows === undefined ? {} : { affectedRows }),
    fields: fields.map(({ name, dataTypeID }) => ({ name, dataTypeID })),
  };
}

function failureOf(error: unknown): PgliteFailure {
  if (!(error instanceof Error)) {
    return { message: String(error), isStartError: false, fields: {} };
  }
  const fields = Object.entries(error).filter(
    (entry): entry is [string, string] => typeof entry[1] === 'string' && !LEFT_OUT.has(entry[0]),
  );
  return {
    message: error.message,
    isStartError: error instanceof StartError,
    fields: { ...Object.fromEntries(fields), name: error.name },
  };
}

function post(message: PgliteAnswer): void {
  parentPort?.postMessage(message);
}

await answer(0, serve);
