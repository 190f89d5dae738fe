import { sql } from 'kysely';
import { afterAll, beforeAll, beforeEach, describe, expect, it } from 'vitest';
import { ensureBootstrap } from '#src/accounts/ensure-bootstrap.ts';
import { createPendingLimit, type PendingLimit } from '#src/documents/pending-limit.ts';
import type { CcPairId, WorkspaceId } from '#src/ids.ts';
import type { Database } from '#src/platform/database.ts';
import { Problem } from '#src/platform/errors.ts';
import { insertDocument } from '#test/support/insert-document.ts';
import { openTestDatabase } from '#test/unit/api/harness.ts';

const MAX = 20;

let db: Database;
let workspaceId: WorkspaceId;
let pair: CcPairId;
let now: Date;
let limit: PendingLimit;

beforeAll(async () => {
  db = await openTestDatabase();
  ({ workspaceId } = await ensureBootstrap(db, { bootstrapKey: null }));
  ({ id: pair } = await db.selectFrom('cc_pair').select('id').executeTakeFirstOrThrow());
});
afterAll(() => db.destroy());
beforeEach(async () => {
  await sql`truncate document cascade`.execute(db);
  for (let count = 0; count < MAX; count += 1) await insertDocument(db, pair, 'accepted');
  now = new Date();
  limit = createPendingLimit(db, MAX, () => now);
});

const insertIndexed = async (count: number, secondsAgo: number): Promise<void> => {
  for (let made = 0; made < count; made += 1) await insertDocument(db, pair, 'indexed');
  await sql`update document set indexed_at = now() - make_interval(secs => ${secondsAgo})
    where status = 'indexed' and indexed_at is null`.execute(db);
};

/** Seconds that so many documents in turn are told to wait. */
const waits = async (count: number): Promise<(number | null)[]> => {
  const told: (number | null)[] = [];
  for (let asked = 0; asked < count; asked += 1) {
    const refusal = await limit.reserveRoom(workspaceId).catch((error: unknown) => error);
    told.push(refusal instanceof Problem ? refusal.retryAfterSeconds : null);
  }
  return told;
};

describe('a document that a full backlog refuses', () => {
  it('is told when there is room for it behind those refused before', async () => {
    await insertIndexed(20, 1); // 2 per second
    await insertIndexed(10, 60);
    expect(await waits(6)).toEqual([1, 1, 2, 2, 3, 3]);
  });

  it('finds its place nearer when time has passed', async () => {
    await insertIndexed(20, 1);
    await waits(6);
    now = new Date(now.getTime() + 2_000);
    expect(await waits(2)).toEqual([2, 2]);
  });

  it('is never told to wait for longer than the whole backlog takes', async () => {
    await insertIndexed(20, 1);
    expect((await waits(2 * MAX)).at(-1)).toBe(MAX / 2);
  });

  it('is told to wait five seconds while nothing is indexed', async () => {
    await insertIndexed(20, 60);
    expect(await waits(3)).toEqual([5, 5, 5]);
  });

  it('has room once documents are indexed', async () => {
    await sql`update document set status = 'indexed'
      where id in (select id from document limit 2)`.execute(db);
    expect(await waits(3)).toEqual([null, null, 5]);
  });
});
