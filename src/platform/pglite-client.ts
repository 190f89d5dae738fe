import { setImmediate as nextTurn } from 'node:timers/promises';
import { setFlagsFromString } from 'node:v8';
import { Worker, type WorkerOptions } from 'node:worker_threads';
import type { QueryOptions } from '@electric-sql/pglite';
import { FatalError, StartError } from './errors.ts';
import {
  BYTEA_OID,
  type EmbeddedDatabase,
  type EmbeddedResults,
  type EmbeddedTransaction,
} from './embedded-database.ts';
import type { PgliteAnswer, PgliteCall, PgliteFailure } from './pglite-thread.ts';

type Answer = EmbeddedResults | EmbeddedResults[] | null;
type Unnumbered<Call> = Call extends unknown ? Omit<Call, 'id'> : never;

export interface PgliteThreadOptions {
  startThread?: (url: URL, options: WorkerOptions) => Worker;
  /** Called once if the thread ends while the database is open. */
  onDeath?: (error: Error) => void;
}

export interface PgliteThread extends EmbeddedDatabase {
  /** How long no statement and no transaction has been in progress, in milliseconds. */
  idleMs(): number;
}

/**
 * Opens the embedded database in its own thread, so that a long statement blocks only other statements: writing a
 * document of 20 MB takes PGlite more than a second. Statements run in the order of the calls. When the thread dies,
 * waiting calls are rejected and `onDeath` is called: without its database the process must end, so by default an
 * uncaught exception is thrown. PGlite's own `PGliteWorker` is for browser tabs, which elect a leader, and does not run
 * here.
 */
export async function openPgliteThread(
  directory: string | null,
  {
    startThread = (url, options) => new Worker(url, options),
    onDeath = (error) => {
      throw error;
    },
  }: PgliteThreadOptions = {},
): Promise<PgliteThread> {
  // V8 occasionally crashes when it frees replaced WebAssembly code: "Check failed: jit_page_->allocations_.erase",
  // https://github.com/nodejs/node/issues/64500. Keeping it costs a few megabytes.
  setFlagsFromString('--no-wasm-code-gc');
  const worker = startThread(new URL('./pglite-thread.ts', import.meta.url), {
    name: 'pglite',
    workerData: { directory },
  });
  const client = new PgliteClient(worker, onDeath);
  await client.waitReady;
  return client;
}

class PgliteClient implements PgliteThread {
  readonly waitReady: Promise<void>;
  ready = false;
  closed = false;
  readonly #worker: Worker;
  readonly #onDeath: (error: Error) => void;
  readonly #pending = new Map<number, PromiseWithResolvers<Answer>>();
  readonly #listeners = new Set<(channel: string, payload: string) => void>();
  /** Why no more statements can be answered; null while the thread runs. */
  #ended: Error | null = null;
  #calls = 0;
  #transactions = 0;
  #openTransactions = 0;
  #lastAnswerMs = performance.now();

  constructor(worker: Worker, onDeath: (error: Error) => void) {
    this.#worker = worker;
    this.#onDeath = onDeath;
    this.#worker.on('message', (answer: PgliteAnswer) => this.#take(answer));
    this.#worker.on('error', (cause: unknown) =>
      this.#end(new FatalError('The thread of the embedded database failed.', { cause })),
    );
    this.#worker.on('messageerror', (cause) =>
      this.#end(new FatalError('An answer of the embedded database cannot be read.', { cause })),
    );
    this.#worker.on('exit', () =>
      this.#end(
        this.closed
          ? new Error('The embedded database is closed.')
          : new FatalError('The thread of the embedded database has ended.'),
      ),
    );
    const opened = Promise.withResolvers<Answer>();
    this.#pending.set(0, opened);
    this.waitReady = opened.promise.then(() => {
      this.ready = true;
    });
  }

  query<Row>(
    statement: string,
    parameters: unknown[] = [],
    options: QueryOptions = {},
  ): Promise<EmbeddedResults<Row>> {
    return this.#query<Row>(null, statement, parameters, options);
  }

  exec(statement: string): Promise<EmbeddedResults[]> {
    return this.#exec(null, statement);
  }

  async transaction<T>(run: (transaction: EmbeddedTransaction) => Promise<T>): Promise<T> {
    this.#transactions += 1;
    const transaction = this.#transactions;
    let isOpen = true;
    const end = async (kind: 'commit' | 'rollback'): Promise<void> => {
      if (!isOpen) return;
      isOpen = false;
      this.#openTransactions -= 1;
      await this.#call({ kind, transaction });
    };
    await this.#call({ kind: 'begin', transaction });
    this.#openTransactions += 1;
    try {
      const result = await run({
        query: (statement, parameters = [], options = {}) =>
          this.#query(transaction, statement, parameters, options),
        exec: (statement) => this.#exec(transaction, statement),
        rollback: () => end('rollback'),
      });
      await end('commit');
      return result;
    } catch (error) {
      await end('rollback');
      throw error;
    }
  }

  idleMs(): number {
    const isIdle = this.#pending.size === 0 && this.#openTransactions === 0;
    return isIdle ? performance.now() - this.#lastAnswerMs : 0;
  }

  onNotification(listen: (channel: string, payload: string) => void): () => void {
    this.#listeners.add(listen);
    return () => void this.#listeners.delete(listen);
  }

  async close(): Promise<void> {
    if (this.closed) return;
    this.closed = true;
    try {
      await this.#call({ kind: 'close' });
    } finally {
      await this.#worker.terminate();
    }
  }

  async #query<Row>(
    transaction: number | null,
    statement: string,
    parameters: unknown[],
    { blob }: QueryOptions,
  ): Promise<EmbeddedResults<Row>> {
    const results = await this.#call({
      kind: 'query',
      transaction,
      statement,
      parameters: parameters.map(withoutPool),
      options: blob ? { blob } : {},
    });
    // A query yields one result; the row type is whatever the caller's SQL returns.
    return withBuffers(results as EmbeddedResults<Row>);
  }

  async #exec(transaction: number | null, statement: string): Promise<EmbeddedResults[]> {
    // One result per statement.
    const results = (await this.#call({
      kind: 'exec',
      transaction,
      statement,
    })) as EmbeddedResults[];
    return results.map(withBuffers);
  }

  async #call(call: Unnumbered<PgliteCall>): Promise<Answer> {
    if (this.#ended !== null) {
      // Callers that retry at once must still yield to the event loop, which has to end the process.
      await nextTurn();
      throw this.#ended;
    }
    this.#calls += 1;
    const id = this.#calls;
    this.#worker.postMessage({ ...call, id } satisfies PgliteCall);
    const pending = Promise.withResolvers<Answer>();
    this.#pending.set(id, pending);
    this.#worker.ref();
    return pending.promise;
  }

  #take(answer: PgliteAnswer): void {
    if ('channel' in answer) {
      for (const listen of this.#listeners) listen(answer.channel, answer.payload);
      return;
    }
    if ('crash' in answer) {
      this.#end(
        new FatalError(
          `The embedded database has crashed: ${answer.crash}. Check that the disk of DATA_DIR has room, and start again.`,
        ),
      );
      return;
    }
    this.#lastAnswerMs = performance.now();
    const pending = this.#pending.get(answer.id);
    this.#pending.delete(answer.id);
    // An idle database must not keep the process alive.
    if (this.#pending.size === 0) this.#worker.unref();
    if ('failure' in answer) pending?.reject(errorOf(answer.failure));
    else pending?.resolve(answer.results);
  }

  #end(reason: Error): void {
    if (this.#ended !== null) return;
    this.#ended = reason;
    for (const { reject } of this.#pending.values()) reject(reason);
    this.#pending.clear();
    if (this.ready && !this.closed) this.#onDeath(reason);
  }
}

function errorOf({ message, isStartError, fields }: PgliteFailure): Error {
  return Object.assign(isStartError ? new StartError(message) : new Error(message), fields);
}

/** Cloning a small `Buffer` would copy the whole pool it is a part of. */
function withoutPool(value: unknown): unknown {
  return value instanceof Uint8Array && value.byteLength < value.buffer.byteLength
    ? new Uint8Array(value)
    : value;
}

/** Cloning turns a `Buffer` into a `Uint8Array`. */
function withBuffers<Row>(results: EmbeddedResults<Row>): EmbeddedResults<Row> {
  const columns = results.fields.filter(({ dataTypeID }) => dataTypeID === BYTEA_OID);
  if (columns.length === 0) return results;
  // Rows are objects keyed by field name.
  for (const row of results.rows as Record<string, unknown>[]) {
    for (const { name } of columns) {
      const bytes = row[name];
      if (bytes instanceof Uint8Array) {
        row[name] = Buffer.from(bytes.buffer, bytes.byteOffset, bytes.byteLength);
      }
    }
  }
  return results;
}
