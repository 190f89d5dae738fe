import type { Logger } from 'pino';
import type { OpenDatabase } from './database.ts';
import { keepRequests, readKeptRequests } from './keep-requests.ts';
import type { QueueBackend } from './queue-backend.ts';
import type { RateLimitStore } from './rate-limit-store.ts';

/** The counts of the embedded size are kept when `opened` is disposed of, before its database is closed. */
export async function openRateLimitStore(
  { db, pool }: OpenDatabase,
  { backend, log, clock }: { backend: QueueBackend; log: Logger; clock: () => Date },
  opened: AsyncDisposableStack,
): Promise<RateLimitStore> {
  if (backend.redis) return { kind: 'redis', client: backend.redis };
  if (pool) return { kind: 'postgres', pool };
  const moments = await readKeptRequests(db, clock());
  opened.defer(() =>
    keepRequests(db, moments).catch((error: unknown) => {
      log.warn({ error: String(error) }, 'the counts of the rate limit were not kept');
    }),
  );
  return { kind: 'memory', moments };
}
