import { Kysely, PostgresDialect } from 'kysely';
import type { Logger } from 'pino';
import type { Tables } from '#src/tables/tables.ts';
import { visitPostgres } from './await-postgres.ts';
import type { Database } from './database.ts';
import { Problem } from './errors.ts';
import type { GaugeSample } from './gauges.ts';
import { messageOf } from './message-of.ts';
import { openPool, SteadyClient } from './postgres.ts';
import { identityOf } from './same-database.ts';

/** Where reads go that may be a few seconds old. */
export interface ReadReplica {
  /**
   * Calls `read` with the replica, and with the primary when the replica is left out, when `read` fails there (its
   * connection broke, recovery canceled the statement, a table is not there yet), or when it throws `StaleRead`.
   * @throws what `read` throws on the primary; on the replica, a `Problem`, and anything once `signal` is aborted
   */
  read<T>(primary: Database, signal: AbortSignal, read: (db: Database) => Promise<T>): Promise<T>;
  samples(): readonly GaugeSample[];
}

/** What a replica said is no longer so on the primary. */
export class StaleRead extends Error {
  override readonly name = 'StaleRead';
}

/** Without `DATABASE_REPLICA_URL`. */
export const NO_REPLICA: ReadReplica = {
  read: (primary, _signal, read) => read(primary),
  samples: () => [],
};

/** A row that the primary renews about every second, see `src/operations/replication-beat.ts`. */
export interface ReplicationBeats {
  /** Renews the row. @returns the primary's clock, in ms */
  write(primary: Database): Promise<number>;
  read(replica: Database): Promise<{ isStandby: boolean; beatMs: number }>;
}

export interface ReplicaSettings {
  primary: Database;
  url: string;
  poolSize: number;
  /** A replica whose last beat is older is left out. */
  maxLagMs: number;
  beats: ReplicationBeats;
  log: Logger;
}

type Outcome = 'replica' | 'stale' | 'failed' | 'left_out';

const LOOK_EVERY_MS = 1_000;
const LOOK_TIMEOUT_MS = 3_000;
const LOG_INTERVAL_MS = 10_000;

/** The connections to the replica, from its first answer to the first look that fails. */
interface Connected {
  db: Database;
  /** Ends the connections, also those in use, so that statements which wait for a silent server fail and go to the primary. */
  readonly cut: () => void;
}

/**
 * Looks at the replica every second and says in the log when it is left out, why, and when it is back. Never fails a
 * start: the primary can answer everything.
 */
export async function openReadReplica(
  settings: ReplicaSettings,
): Promise<ReadReplica & AsyncDisposable> {
  const watch = new ReplicaWatch(settings);
  await watch.look();
  watch.start();
  return watch;
}

class ReplicaWatch implements ReadReplica, AsyncDisposable {
  readonly #settings: ReplicaSettings;
  readonly #counts: Record<Outcome, number> = { replica: 0, stale: 0, failed: 0, left_out: 0 };
  #connected: Connected | null = null;
  /** What is wrong with the replica apart from its age; null when nothing is. */
  #fault: string | null = 'it was not looked at yet';
  /** On the primary's clock. */
  #beatMs = -Infinity;
  /** The primary's clock minus that of `performance.now()`; null while the primary has never answered. */
  #offsetMs: number | null = null;
  #leftOutFor: string | null = null;
  #looking: Promise<void> | null = null;
  #timer: NodeJS.Timeout | undefined;
  #quietUntil = 0;

  constructor(settings: ReplicaSettings) {
    this.#settings = settings;
  }

  start(): void {
    this.#timer = setInterval(() => void this.look(), LOOK_EVERY_MS);
    this.#timer.unref();
  }

  async read<T>(
    primary: Database,
    signal: AbortSignal,
    read: (db: Database) => Promise<T>,
  ): Promise<T> {
    const connected = this.#reasonAgainst() === null ? this.#connected : null;
    if (connected === null) {
      this.#counts.left_out += 1;
      return read(primary);
    }
    try {
      const found = await read(connected.db);
      this.#counts.replica += 1;
      return found;
    } catch (error) {
      if (signal.aborted || error instanceof Problem) throw error;
      this.#note(error);
    }
    return read(primary);
  }

  samples(): readonly GaugeSample[] {
    const lagMs = this.#lagMs();
    return [
      { gauge: 'replicaUsed', labels: {}, value: this.#reasonAgainst() === null ? 1 : 0 },
      ...(Number.isFinite(lagMs)
        ? [{ gauge: 'replicaLagSeconds' as const, labels: {}, value: lagMs / 1_000 }]
        : []),
      ...Object.entries(this.#counts).map(([outcome, value]) => ({
        gauge: 'replicaReads' as const,
        labels: { outcome },
        value,
      })),
    ];
  }

  /** One look at a time; it never rejects. */
  look(): Promise<void> {
    this.#looking ??= this.#lookOnce().finally(() => {
      this.#looking = null;
    });
    return this.#looking;
  }

  async #lookOnce(): Promise<void> {
    const { primary, beats } = this.#settings;
    try {
      const sentAt = performance.now();
      // Sent before the primary read its clock, so the lag is never taken for smaller than it is.
      this.#offsetMs = (await inTime(beats.write(primary))) - sentAt;
    } catch {
      // The age of the last beat goes on counting.
    }
    try {
      this.#connected ??= await this.#connectInTime();
      const { isStandby, beatMs } = await inTime(beats.read(this.#connected.db));
      this.#beatMs = beatMs;
      this.#fault = isStandby ? null : 'it is not in recovery: it is a primary, not a replica';
    } catch (error) {
      this.#fault = messageOf(error);
      this.#connected?.cut();
      this.#connected = null;
    }
    this.#announce();
  }

  async #connectInTime(): Promise<Connected> {
    const connecting = this.#connect();
    try {
      return await inTime(connecting);
    } catch (error) {
      connecting.then(
        ({ cut }) => cut(),
        () => undefined,
      );
      throw error;
    }
  }

  async #connect(): Promise<Connected> {
    const { url, poolSize, log, primary } = this.#settings;
    const { isPooled } = await visitPostgres({ url, setting: 'DATABASE_REPLICA_URL' });
    const pool = openPool(url, poolSize, log, { isPooled });
    const clients = new Set<SteadyClient>();
    pool.on('connect', (client) => client instanceof SteadyClient && clients.add(client));
    pool.on('remove', (client) => client instanceof SteadyClient && clients.delete(client));
    const db = new Kysely<Tables>({ dialect: new PostgresDialect({ pool }) });
    const cut = (): void => {
      pool.end().catch(() => undefined);
      for (const client of clients) client.end().catch(() => undefined);
    };
    try {
      const [own, other] = await Promise.all([identityOf(primary), identityOf(db)]);
      if (own === null || other === null || own === other) return { db, cut };
    } catch (error) {
      cut();
      throw error;
    }
    cut();
    throw new Error('it is not a replica of the database of DATABASE_URL');
  }

  #lagMs(): number {
    return this.#offsetMs === null ? Infinity : performance.now() + this.#offsetMs - this.#beatMs;
  }

  #reasonAgainst(): string | null {
    if (this.#fault !== null) return this.#fault;
    const { maxLagMs } = this.#settings;
    return this.#lagMs() <= maxLagMs ? null : `it lags by more than ${maxLagMs / 1_000} s`;
  }

  /** One line for each change. */
  #announce(): void {
    const reason = this.#reasonAgainst();
    if (reason === this.#leftOutFor) return;
    this.#leftOutFor = reason;
    const lagMs = this.#lagMs();
    const lagSeconds = Number.isFinite(lagMs) ? Math.round(lagMs) / 1_000 : null;
    if (reason === null) this.#settings.log.info({ lagSeconds }, 'the read replica is used');
    else
      this.#settings.log.warn(
        { reason, lagSeconds },
        'the read replica is left out, and the primary answers its searches',
      );
  }

  #note(error: unknown): void {
    if (error instanceof StaleRead) {
      this.#counts.stale += 1;
      return;
    }
    this.#counts.failed += 1;
    const now = Date.now();
    if (now < this.#quietUntil) return;
    this.#quietUntil = now + LOG_INTERVAL_MS;
    this.#settings.log.warn(
      { reason: messageOf(error) },
      'a read failed on the replica and is repeated on the primary',
    );
  }

  async [Symbol.asyncDispose](): Promise<void> {
    clearInterval(this.#timer);
    await this.#looking;
    this.#connected?.cut();
    this.#connected = null;
    this.#fault = 'it was closed';
  }
}

async function inTime<T>(work: Promise<T>): Promise<T> {
  const late = Promise.withResolvers<never>();
  const timer = setTimeout(
    () => late.reject(new Error(`it did not answer within ${LOOK_TIMEOUT_MS / 1_000} s`)),
    LOOK_TIMEOUT_MS,
  );
  try {
    return await Promise.race([work, late.promise]);
  } finally {
    clearTimeout(timer);
  }
}
