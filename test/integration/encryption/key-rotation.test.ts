// @module-tag database
import { randomBytes } from 'node:crypto';
import { readFile, writeFile } from 'node:fs/promises';
import { sql } from 'kysely';
import { describe, expect, it } from 'vitest';
import { SEALED_COLUMNS } from '#src/encryption/sealed-columns.ts';
import type { WorkspaceId } from '#src/ids.ts';
import { makeUnsubscribeToken } from '#src/outreach/unsubscribe-token.ts';
import { createSecretBox } from '#src/platform/crypto.ts';
import { keyIdOf } from '#src/platform/encryption-keys.ts';
import type { Services } from '#src/services.ts';
import { deliver, expireClaim, submit } from '#test/support/email-rows.ts';
import { PASSWORD } from '#test/support/email-stage.ts';
import { refuseIt } from '#test/support/fake-mailer.ts';
import { runCommand } from '#test/support/fake-service.ts';
import { openKeyRingStage, settingOf, type StartedMillrace } from '#test/support/key-ring-stage.ts';
import {
  columnsWithSealed,
  readSealedThings,
  seedSealedThings,
} from '#test/support/seed-sealed.ts';
import { until } from '#test/support/until.ts';

const makeKey = (): Buffer => randomBytes(32);
const reseal = ({ url, adminKey }: StartedMillrace, ...words: string[]) =>
  runCommand(['keys', 'reseal', ...words], { url, key: adminKey });
const newWorkspace = async (millrace: StartedMillrace): Promise<WorkspaceId> => {
  const { body } = await millrace.call('POST', '/manage/admin/workspaces', {
    name: 'Another',
    plan_tier: 'Enterprise',
  });
  return body.workspace_id;
};
const statusOfLink = async ({ url }: StartedMillrace, token: string): Promise<number> =>
  (await fetch(`${url}/unsubscribe/${token}`)).status;
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
      new RegExp(`${keyIdOf(fresh)} +seals +0\n${keyIdOf(old)} +opens +7\n7 values to reseal`),
    );
    const run = await reseal(both);
    expect(run).toMatchObject({
      code: 0,
      stdout: `7 values resealed with the key ${keyIdOf(fresh)}, 0 left: the old key may be removed.\n`,
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

  it('unsubscribe links work, including those of versions that sealed them with ENCRYPTION_KEY', async () => {
    await using stage = await openKeyRingStage();
    const [old, fresh, third] = [makeKey(), makeKey(), makeKey()];
    const earlier = await stage.start(old);
    const workspaceId = await newWorkspace(earlier);
    const to = (email: string) => ({ workspaceId, email });
    const sealedByKey = makeUnsubscribeToken(createSecretBox([old]), to('old@firm.test'));
    expect(await statusOfLink(earlier, sealedByKey)).toBe(404);
    // The database as the previous version left it.
    await sql`delete from unsubscribe_key`.execute(earlier.services.db);
    await sql`delete from encryption_key`.execute(earlier.services.db);
    await earlier[Symbol.asyncDispose]();

    await using upgraded = await stage.start(old);
    const made = makeUnsubscribeToken(upgraded.services.unsubscribeSecrets, to('new@firm.test'));
    expect(made.split('.')[1]).not.toBe(keyIdOf(old));
    await upgraded[Symbol.asyncDispose]();
    for (const keys of [[fresh, old], [fresh], [third, fresh], [third]]) {
      const millrace = await stage.start(...keys);
      expect((await reseal(millrace)).code).toBe(0);
      expect(await statusOfLink(millrace, made)).toBe(200);
      expect(await statusOfLink(millrace, sealedByKey)).toBe(200);
      // The third key is not a link key, so whoever has it cannot forge a link.
      const forged = makeUnsubscribeToken(createSecretBox([third]), to('x@firm.test'));
      expect(await statusOfLink(millrace, forged)).toBe(404);
      await millrace[Symbol.asyncDispose]();
    }
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
