import type { Logger } from 'pino';
import type { Background } from './background.ts';
import type { Config } from './config.ts';
import type { SecretBox } from './crypto.ts';
import type { DataDirectory } from './data-directory.ts';
import type { Database } from './database.ts';
import type { DnsClient } from './dns.ts';
import type { HttpClient } from './http.ts';
import type { Metrics } from './metrics.ts';
import type { PageRenderer } from './page-renderer.ts';
import type { QueueBackend } from './queue-backend.ts';
import type { ReadReplica } from './read-replica.ts';
import type { RateLimitStore } from './rate-limit-store.ts';
import type { Tracing } from './tracing.ts';
import type { WorkTally } from './work-tally.ts';

/**
 * What every feature may use. A feature adds its own services in an interface beside its files; src/services.ts joins
 * them.
 */
export interface PlatformServices {
  readonly config: Config;
  readonly log: Logger;
  readonly clock: () => Date;
  /** Waits that long, or rejects with the signal's reason. */
  readonly wait: (ms: number, signal: AbortSignal) => Promise<void>;
  /** The embedded size's data directory; null when the database is on a server. */
  readonly dataDirectory: DataDirectory | null;
  readonly db: Database;
  /** For what outlives a transaction in its session, such as a lock for an index build; else use `db`. */
  readonly directDb: Database;
  /** For searches, which may be a few seconds old. */
  readonly readReplica: ReadReplica;
  readonly inBackground: Background;
  readonly queueBackend: QueueBackend;
  readonly rateLimitStore: RateLimitStore;
  readonly metrics: Metrics;
  readonly tracing: Tracing;
  readonly workTally: WorkTally;
  /** Outbound HTTP to addresses that customers name. */
  readonly http: HttpClient;
  /** HTTP to addresses that the operator configures, including private ones. */
  readonly operatorFetch: typeof globalThis.fetch;
  readonly dns: DnsClient;
  readonly secrets: SecretBox;
  /** Null when no browser is installed. */
  readonly renderer: PageRenderer | null;
}
