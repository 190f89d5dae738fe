// @module-tag processes
// @module-tag database
import { randomBytes } from 'node:crypto';
import { readFile, writeFile } from 'node:fs/promises';
import path from 'node:path';
import { sql } from 'kysely';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { acceptLostKey } from '#src/encryption/accept-lost-key.ts';
import { assertKeyRing } from '#src/encryption/assert-key-ring.ts';
import { describeKeys } from '#src/encryption/describe-keys.ts';
import { type KeyRing, readKeyRing } from '#src/encryption/key-ring.ts';
import { openUnsubscribeKeys } from '#src/outreach/unsubscribe-keys.ts';
import { createSecretBox } from '#src/platform/crypto.ts';
import { keyIdOf } from '#src/platform/encryption-keys.ts';
import { StartError } from '#src/platform/errors.ts';
import { startProcess } from '#test/support/child-process.ts';
import { insertCredentials } from '#test/support/seed-sealed.ts';
import { openTestEnvironment } from '#test/support/test-environment.ts';
import { openTestServices, type TestServices } from '#test/support/test-services.ts';

const [RIGHT, WRONG] = [randomBytes(32), randomBytes(32)];
const [RIGHT_ID, WRONG_ID] = [keyIdOf(RIGHT), keyIdOf(WRONG)];

describe('the keys that a process starts with', () => {
  let test: TestServices;
  beforeEach(async () => {
    test = await openTestServices({ ENCRYPTION_KEY: RIGHT.toString('base64') });
  });
  afterEach(() => test[Symbol.asyncDispose]());

  const ringOf = (...keys: Buffer[]): KeyRing =>
    readKeyRing({ ENCRYPTION_KEY: keys, DATA_DIR: '' }, null);
  const check = (...keys: Buffer[]) => assertKeyRing(test.services.db, ringOf(...keys));
  const forgetRecords = () => sql`delete from encryption_key`.execute(test.services.db);

  it('are refused when one is missing, with its id, what needs it and the remedy', async () => {
    await insertCredentials(test.services, test.workspaceId, 3);
    const refused = check(WRONG);
    await expect(refused).rejects.toThrow(StartError);
    await expect(refused).rejects.toThrow(
      `ENCRYPTION_KEY lacks the key ${RIGHT_ID}, under which 4 values are encrypted in this database (it has ${WRONG_ID}). Add the missing keys, separated by commas; if a key is lost for good, run: npm run migrate -- --accept-lost-key ${RIGHT_ID}`,
    );
    await check(WRONG, RIGHT);
    await check(RIGHT);
  });

  it('are refused when the previous version recorded none', async () => {
    await insertCredentials(test.services, test.workspaceId, 1);
    await forgetRecords();
    await expect(check(WRONG)).rejects.toThrow(`lacks the key ${RIGHT_ID}`);
    await check(RIGHT);
  });

  it('may lack a key that has sealed nothing', async () => {
    await check(RIGHT, WRONG);
    await check(RIGHT);
  });

  it('are distinguished from others with the same id by their check values', async () => {
    await sql`update encryption_key set check_value = 'of another key'`.execute(test.services.db);
    await expect(check(RIGHT)).rejects.toThrow(
      `ENCRYPTION_KEY has a key ${RIGHT_ID} that is not the one under which values in the database are encrypted`,
    );
  });

  it('are distinguished from others with the same id by what they open, when no check value is recorded', async () => {
    const { db } = test.services;
    const [id = 0] = await insertCredentials(test.services, test.workspaceId, 1);
    const others = createSecretBox([WRONG]).seal('x', `credential:${id}`);
    const disguised = others.replace(WRONG_ID, RIGHT_ID);
    await sql`update credential set secret = ${disguised} where id = ${id}`.execute(db);
    await forgetRecords();
    // The unsubscribe key still opens, so one damaged value does not mean another key.
    await check(RIGHT);
    await forgetRecords();
    await sql`delete from unsubscribe_key`.execute(db);
    await expect(check(RIGHT)).rejects.toThrow('only the ids are the same');
  });

  it('may lack one that an operator has given up, until it is back', async () => {
    const { db } = test.services;
    await insertCredentials(test.services, test.workspaceId, 2);
    const ring = ringOf(WRONG);
    await expect(acceptLostKey(db, ring, WRONG_ID)).rejects.toThrow('is not lost');
    await expect(acceptLostKey(db, ring, 'deadbeef')).rejects.toThrow('no value in this database');
    expect(await acceptLostKey(db, ring, RIGHT_ID)).toBe(3);
    await check(WRONG);
    // Links get a new key, because earlier ones are lost with their key.
    const links = await openUnsubscribeKeys(db, ring.secrets, ring.keys);
    expect(links.keyIds).toHaveLength(1);
    expect(links.keyIds).not.toEqual(test.services.unsubscribeSecrets.keyIds);
    expect(await describeKeys({ db, secrets: ring.secrets })).toEqual({
      keys: [
        { id: WRONG_ID, state: 'seals', values: 1 },
        { id: RIGHT_ID, state: 'lost', values: 3 },
      ],
      left: 0,
    });
    const both = ringOf(WRONG, RIGHT);
    await assertKeyRing(db, both);
    expect((await describeKeys({ db, secrets: both.secrets })).left).toBe(3);
    const [, before] = (await openUnsubscribeKeys(db, both.secrets, both.keys)).keyIds;
    expect(before).toBe(test.services.unsubscribeSecrets.keyIds[0]);
    await expect(check(WRONG)).rejects.toThrow(`lacks the key ${RIGHT_ID}`);
  });
});

describe('a process with a wrong key', () => {
  const isEmbedded = process.env['TEST_DATABASE_URL'] === undefined;
  const entries = isEmbedded
    ? (['src/main.ts', 'src/migrate.ts'] as const)
    : (['src/main.ts', 'src/api.ts', 'workers/main.ts', 'src/migrate.ts'] as const);

  it('ends with one sentence and status 1, whichever process it is', async () => {
    await using environment = await openTestEnvironment();
    const right = { ...environment.settings, ENCRYPTION_KEY: RIGHT.toString('base64') };
    await (await startProcess('src/migrate.ts', right)).ended(60_000);
    const first = await startProcess('src/main.ts', right);
    first.signal('SIGTERM');
    expect(await first.ended(60_000)).toBe(0);
    for (const entry of entries) {
      const wrong = { ...right, ENCRYPTION_KEY: WRONG.toString('base64') };
      const failure = await startProcess(entry, wrong, [], { logLevel: 'silent' }).catch(
        (error: unknown) => error,
      );
      expect(failure, entry).toMatchObject({
        message: expect.stringMatching(
          new RegExp(
            `did not start:\nMillrace cannot start\\. ENCRYPTION_KEY lacks the key ${RIGHT_ID}[^\n]+$`,
          ),
        ),
        cause: { message: `${entry} ended with 1.` },
      });
    }
    await using lost = await startProcess(
      'src/migrate.ts',
      { ...right, ENCRYPTION_KEY: WRONG.toString('base64') },
      ['--accept-lost-key', RIGHT_ID],
    );
    expect(await lost.ended(60_000)).toBe(0);
    expect(lost.lines.join('\n')).toContain('1 value stays unreadable');
  });

  it.skipIf(!isEmbedded)(
    'names the file of the embedded size, even after a bad edit (without TEST_DATABASE_URL)',
    async () => {
      await using environment = await openTestEnvironment();
      const { DATA_DIR: directory = '' } = environment.settings;
      const file = path.join(directory, 'secrets.json');
      const first = await startProcess('src/main.ts', environment.settings);
      first.signal('SIGTERM');
      expect(await first.ended(60_000)).toBe(0);
      const kept = JSON.parse(await readFile(file, 'utf8'));
      const complaint = async (content: string): Promise<string> => {
        await writeFile(file, content);
        const started = startProcess('src/migrate.ts', environment.settings);
        return started.then(() => 'started', String);
      };
      const other = JSON.stringify({ ...kept, encryption_key: WRONG.toString('base64') });
      expect(await complaint(other)).toContain(`encryption_key in ${file} lacks the key`);
      const short = JSON.stringify({ ...kept, encryption_key: 'short' });
      expect(await complaint(short)).toContain(`encryption_key in ${file} must be 32 bytes`);
      for (const broken of ['{', '[]', '{"encryption_key": 7, "admin_api_key": null}']) {
        const text = await complaint(broken);
        expect(text).toContain(`cannot start. ${file} `);
        expect(text).not.toContain(' at ');
      }
      expect(await complaint(JSON.stringify(kept))).toBe('started');
    },
  );
});
