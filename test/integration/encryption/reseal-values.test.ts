import { randomBytes } from 'node:crypto';
import { sql } from 'kysely';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { describeKeys } from '#src/encryption/describe-keys.ts';
import { resealValues } from '#src/encryption/reseal-values.ts';
import { createSecretBox, type SecretBox } from '#src/platform/crypto.ts';
import { keyIdOf } from '#src/platform/encryption-keys.ts';
import type { Services } from '#src/services.ts';
import { insertCredentials } from '#test/support/seed-sealed.ts';
import { openTestServices, type TestServices } from '#test/support/test-services.ts';

const [OLD, FRESH, FOREIGN] = [randomBytes(32), randomBytes(32), randomBytes(32)];

let test: TestServices;
/** The services after a rotation: what `test.services` sealed uses the old key. */
let rotated: Services;

beforeEach(async () => {
  test = await openTestServices({ ENCRYPTION_KEY: OLD.toString('base64') });
  rotated = { ...test.services, secrets: createSecretBox([FRESH, OLD]) };
});
afterEach(() => test[Symbol.asyncDispose]());

async function resealAll(services: Services): Promise<number> {
  let resealed = 0;
  let after: string | null = null;
  do {
    const step = await resealValues(services, after);
    resealed += step.resealed;
    after = step.next;
  } while (after !== null);
  return resealed;
}

const insert = (count: number) => insertCredentials(test.services, test.workspaceId, count);
async function secretOf(id: number): Promise<string> {
  const { rows } = await sql<{ secret: string }>`
    select secret from credential where id = ${id}`.execute(test.services.db);
  return rows[0]?.secret ?? '';
}
const setSecret = (id: number, secret: string) =>
  sql`update credential set secret = ${secret} where id = ${id}`.execute(test.services.db);

/** Ids of credentials that the fresh key alone cannot open to their original value. */
async function wrongOnes(ids: readonly number[]): Promise<number[]> {
  const alone = createSecretBox([FRESH]);
  const { rows } = await sql<{ id: number; secret: string }>`
    select id, secret from credential where id = any(${ids}::int[])`.execute(test.services.db);
  expect(rows).toHaveLength(ids.length);
  return rows
    .filter(({ id, secret }) => alone.open(secret, `credential:${id}`) !== `secret ${id}`)
    .map(({ id }) => id);
}

describe('resealing', () => {
  it('processes up to 1,000 values per step, and a stopped pass can be restarted', async () => {
    const ids = await insert(2_300);
    const first = await resealValues(rotated, null);
    expect(first).toMatchObject({ keyId: keyIdOf(FRESH), resealed: 1_000, unreadable: [] });
    expect(first.next).toBe(`credential.secret:${ids[999]}`);
    // One more value: the unsubscribe key.
    expect((await describeKeys(rotated)).left).toBe(1_301);
    expect(await resealAll(rotated)).toBe(1_301);
    expect(await wrongOnes(ids)).toEqual([]);
    expect((await describeKeys(rotated)).left).toBe(0);
  });

  it('twice at once rewrites each value once', async () => {
    const ids = await insert(1_500);
    const counts = await Promise.all([resealAll(rotated), resealAll(rotated)]);
    expect(counts.reduce((sum, count) => sum + count, 0)).toBe(1_501);
    expect(await wrongOnes(ids)).toEqual([]);
  });

  it('never overwrites a value entered meanwhile', async () => {
    const [first = 0, second = 0] = await insert(2);
    const entered = rotated.secrets.seal('entered anew', `credential:${first}`);
    const edits: Promise<unknown>[] = [];
    // The edit happens after the value is read and before it is written.
    const secrets: SecretBox = {
      ...rotated.secrets,
      open(sealed, rowName) {
        if (rowName === `credential:${first}`) edits.push(setSecret(first, entered));
        return rotated.secrets.open(sealed, rowName);
      },
    };
    await resealAll({ ...rotated, secrets });
    expect(edits).toHaveLength(1);
    await Promise.all(edits);
    expect(await secretOf(first)).toBe(entered);
    expect(await wrongOnes([second])).toEqual([]);
  });

  it('waits for an edit in progress and leaves it alone', async () => {
    const [id = 0] = await insert(1);
    const entered = test.services.secrets.seal('entered anew', `credential:${id}`);
    const { db } = test.services;
    const pass = await db.transaction().execute(async (trx) => {
      await sql`update credential set secret = ${entered} where id = ${id}`.execute(trx);
      // With several connections it reads the old value and finds the row locked.
      return { resealing: resealValues(rotated, null) };
    });
    await pass.resealing;
    await resealAll(rotated);
    expect(createSecretBox([FRESH]).open(await secretOf(id), `credential:${id}`)).toBe(
      'entered anew',
    );
  });

  it('names the rows that no key opens, and continues', async () => {
    const [damaged = 0, foreign = 0, good = 0, none = 0] = await insert(4);
    await setSecret(damaged, (await secretOf(damaged)).replace(/.(?=.{20}$)/, '!'));
    await setSecret(foreign, createSecretBox([FOREIGN]).seal('x', `credential:${foreign}`));
    await setSecret(none, '');
    const step = await resealValues(rotated, null);
    expect(step.next).toBeNull();
    expect(step.unreadable.map(({ row }) => row)).toEqual([
      `credential:${damaged}`,
      `credential:${foreign}`,
    ]);
    expect(step.unreadable[1]?.reason).toContain(keyIdOf(FOREIGN));
    expect(await wrongOnes([good])).toEqual([]);
    expect(await secretOf(none)).toBe('');
    expect(await describeKeys(rotated)).toEqual({
      keys: [
        { id: keyIdOf(FRESH), state: 'seals', values: 2 },
        { id: keyIdOf(OLD), state: 'opens', values: 1 },
        { id: keyIdOf(FOREIGN), state: 'missing', values: 1 },
      ],
      left: 2,
    });
  });

  it('refuses to resume from an invalid position', async () => {
    const places = [
      'nonsense',
      'credential',
      'credential.name:1',
      'credential.secret:x',
      'credential.secret:99999999999999999999',
      'email_account.smtp_password:1',
      'credential.secret:1; drop table credential',
    ];
    for (const after of places) {
      await expect(resealValues(rotated, after), after).rejects.toThrow(
        'body.after: is not a valid position',
      );
    }
  });
});
