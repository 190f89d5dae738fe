import { randomBytes } from 'node:crypto';
import { sql } from 'kysely';
import { expect, it } from 'vitest';
import { makeUnsubscribeToken } from '#src/outreach/unsubscribe-token.ts';
import { createSecretBox } from '#src/platform/crypto.ts';
import { keyIdOf } from '#src/platform/encryption-keys.ts';
import {
  newWorkspace,
  openKeyRingStage,
  reseal,
  type StartedMillrace,
} from '#test/support/key-ring-stage.ts';

const makeKey = (): Buffer => randomBytes(32);
const statusOfLink = async ({ url }: StartedMillrace, token: string): Promise<number> =>
  (await fetch(`${url}/unsubscribe/${token}`)).status;

it('unsubscribe links work after rotations, including those that older versions sealed with ENCRYPTION_KEY', async () => {
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
    // The third key is not a link key, so its owner cannot forge a link.
    const forged = makeUnsubscribeToken(createSecretBox([third]), to('x@firm.test'));
    expect(await statusOfLink(millrace, forged)).toBe(404);
    await millrace[Symbol.asyncDispose]();
  }
});
