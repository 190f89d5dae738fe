// @module-tag smoke
// @module-tag database
import { randomBytes } from 'node:crypto';
import { readFile, writeFile } from 'node:fs/promises';
import { sql } from 'kysely';
import { describe, expect, it } from 'vitest';
import { SEALED_COLUMNS } from '#src/encryption/sealed-columns.ts';
import { keyIdOf } from '#src/platform/encryption-keys.ts';
import type { Services } from '#src/services.ts';
import { deliver, expireClaim, submit } from '#test/support/email-rows.ts';
import { PASSWORD } from '#test/support/email-stage.ts';
import { refuseIt } from '#test/support/fake-mailer.ts';
import {
  newWorkspace,
  openKeyRingStage,
  reseal,
  settingOf,
  type StartedMillrace,
} from '#test/support/key-ring-stage.ts';
import {
  columnsWithSealed,
  readSealedThings,
  seedSealedThings,
} from '#test/support/seed-sealed.ts';
import { until } from '#test/support/until.ts';

const makeKey = (): Buffer => randomBytes(32);
const waiting = async ({ db }: Services, id: string): Promise<boolean> => {
  const { rows } = await sql<{ next_attempt_at: Date | null }>`
    select next_attempt_at from email_message where id = ${id}`.execute(db);
  return rows[0]?.next_attempt_at instanceof Date;
};

describe('after a rotation', () => {
  it('all sealed values are readable, waiting mail is sent, and the old key is not needed', async () => {
    await using stage = await openKeyRingStage();
    const [old, fresh] = [makeKey(), makeKey()];
    const { things, messageId, before } = await seedUnder(await stage.start(old));

    await using both = await stage.start(fresh, old);
    expect(await readSealedThings(both.services, things)).toEqual(before);
    expect((await reseal(both, '--dry-run')).stdout).toMatch(
      new RegExp(`${keyIdOf(fresh)} +seals +0\n${keyIdOf(old)} +opens +8\n8 values to reseal`),
    );
    const run = await reseal(both);
    expect(run).toMatchObject({
      code: 0,
      stdout: `8 values resealed with the key ${keyIdOf(fresh)}, 0 left: the old key may be removed.\n`,
    });
    expect(await columnsWithSealed(both.services, [keyIdOf(old)])).toEqual([]);
    expect((await reseal(both)).stdout).toContain('Nothing to reseal');
    await both[Symbol.asyncDispose]();

    await using alone = await stage.start(fresh);
    expect(await readSealedThings(alone.services, things)).toEqual(before);
    await expireClaim(alone.services, messageId);
    expect(await deliver(alone.services, messageId)).toBe('sent');
    expect(alone.mailer.sent[0]?.settings.password).toBe(PASSWORD);
    expect(alone.mailer.sent[0]?.message.text).toContain('How are you?');
  });

  it('the embedded size also finds its keys in the file in its folder', async () => {
    await using stage = await openKeyRingStage();
    if (stage.environment.size !== 'embedded') return;
    const [old, fresh] = [makeKey(), makeKey()];
    await (await stage.start(old))[Symbol.asyncDispose]();
    const { DATA_DIR: directory = '' } = stage.environment.settings;
    const file = `${directory}/secrets.json`;
    const kept = JSON.parse(await readFile(file, 'utf8'));
    await writeFile(file, JSON.stringify({ ...kept, encryption_key: settingOf([fresh, old]) }));
    await using millrace = await stage.startFromFile();
    expect(millrace.services.secrets.keyIds).toEqual([keyIdOf(fresh), keyIdOf(old)]);
    expect((await reseal(millrace)).stdout).toContain('0 left');
  });
});

/** One sealed value of each kind, and a message that a busy server has deferred. */
async function seedUnder(millrace: StartedMillrace) {
  const { services, mailer } = millrace;
  const things = await seedSealedThings(services, await newWorkspace(millrace));
  mailer.next.push(refuseIt('server_busy'));
  const messageId = await submit(services, things.account);
  await until(() => waiting(services, messageId));
  expect(await columnsWithSealed(services, ['[0-9a-f]{8}'])).toEqual(
    SEALED_COLUMNS.map(({ table, column }) => `${table}.${column}`).toSorted(),
  );
  const before = await readSealedThings(services, things);
  await millrace[Symbol.asyncDispose]();
  return { things, messageId, before };
}
