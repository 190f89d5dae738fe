import { randomUUID } from 'node:crypto';

import { sql } from 'kysely';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';

import type { Answer } from '#test/support/api-client.ts';
import { openWorkspace, type TestUser } from '#test/support/test-users.ts';
import { insertSession, insertUserFile } from '#test/support/project-rows.ts';
import { startTestMillrace, type TestMillrace } from '#test/support/test-millrace.ts';

let millrace: TestMillrace;
let owner: TestUser;

beforeAll(async () => {
  millrace = await startTestMillrace();
  owner = await openWorkspace(millrace);
});
afterAll(() => millrace[Symbol.asyncDispose]());

async function make(by: TestUser = owner, name = 'Move'): Promise<number> {
  const { body } = await by.call('POST', `/user/projects/create?name=${name}`);
  expect(body).toMatchObject({ name });
  return body.id;
}

const idsOf = (answer: Answer): unknown[] => answer.body.map(({ id }: { id: unknown }) => id);

describe('the files of a project', () => {
  it('are those that were added, each once, until they are removed', async () => {
    const id = await make();
    const [first, second] = [
      await insertUserFile(millrace, owner),
      await insertUserFile(millrace, owner, 'PROCESSING'),
    ];
    const added = await owner.call('POST', `/user/projects/${id}/files/${first.toUpperCase()}`);
    expect([added.status, added.body]).toEqual([
      200,
      expect.objectContaining({
        id: first,
        name: 'plan.txt',
        status: 'COMPLETED',
        chat_file_type: 'plain_text',
        file_type: 'text/plain',
        token_count: 6,
        user_id: owner.userId,
        temp_id: null,
      }),
    ]);
    expect(added.text).not.toContain('The van');
    await owner.call('POST', `/user/projects/${id}/files/${first}`);
    await owner.call('POST', `/user/projects/${id}/files/${second}`);
    const listed = await owner.call('GET', `/user/projects/files/${id}`);
    expect(idsOf(listed)).toEqual([first, second]);
    const details = await owner.call('GET', `/user/projects/${id}/details`);
    expect(details.body.files).toEqual(listed.body);
    expect((await owner.call('DELETE', `/user/projects/${id}/files/${first}`)).text).toBe('null');
    expect(idsOf(await owner.call('GET', `/user/projects/files/${id}`))).toEqual([second]);
  });

  it('cannot be files that are being deleted or do not exist', async () => {
    const id = await make();
    const dying = await insertUserFile(millrace, owner, 'DELETING');
    for (const file of [dying, randomUUID()])
      expect((await owner.call('POST', `/user/projects/${id}/files/${file}`)).status).toBe(404);
    expect((await owner.call('POST', `/user/projects/${id}/files/plan`)).status).toBe(400);
    expect((await owner.call('GET', `/user/projects/files/${id}`)).body).toEqual([]);
  });

  it('are listed for a conversation in the project, and for no other', async () => {
    const id = await make();
    const file = await insertUserFile(millrace, owner);
    await owner.call('POST', `/user/projects/${id}/files/${file}`);
    const filesOf = async (session: string) =>
      idsOf(await owner.call('GET', `/user/projects/session/${session}/files`));
    expect(await filesOf(await insertSession(millrace, owner, id))).toEqual([file]);
    expect(await filesOf(await insertSession(millrace, owner))).toEqual([]);
    expect((await owner.call('GET', `/user/projects/session/${randomUUID()}/files`)).status).toBe(
      404,
    );
  });
});

describe('the conversations of a project', () => {
  it('can be moved in and out, and are listed newest first', async () => {
    const [id, other] = [await make(), await make()];
    const [older, newer] = [
      await insertSession(millrace, owner),
      await insertSession(millrace, owner),
    ];
    await sql`update chat_session set updated_at = now() + interval '1 minute'
      where id = ${newer}`.execute(millrace.services.db);
    for (const session of [newer, older]) {
      const moved = await owner.call('POST', `/user/projects/${id}/move_chat_session`, {
        chat_session_id: session,
      });
      expect([moved.status, moved.text]).toEqual([200, 'null']);
    }
    const shown = async (project: number) =>
      (await owner.call('GET', `/user/projects/${project}`)).body.chat_sessions;
    expect(await shown(id)).toMatchObject([
      { id: newer, name: 'When comes the van?', persona_id: 0, shared_status: 'private' },
      { id: older, current_alternate_model: null, current_temperature_override: null },
    ]);
    await owner.call('POST', `/user/projects/${other}/move_chat_session`, {
      chat_session_id: older,
    });
    await owner.call('POST', '/user/projects/remove_chat_session', { chat_session_id: newer });
    expect(await shown(id)).toEqual([]);
    expect(await shown(other)).toMatchObject([{ id: older }]);
    const { body } = await owner.call('GET', `/user/projects/${other}/details`);
    expect(body.persona_id_to_is_featured).toEqual({ 0: true });
  });

  it('exclude deleted ones', async () => {
    const id = await make();
    const session = await insertSession(millrace, owner, id);
    await sql`update chat_session set deleted_at = now() where id = ${session}`.execute(
      millrace.services.db,
    );
    expect((await owner.call('GET', `/user/projects/${id}`)).body.chat_sessions).toEqual([]);
    const moved = await owner.call('POST', `/user/projects/${id}/move_chat_session`, {
      chat_session_id: session,
    });
    expect(moved.status).toBe(404);
  });
});
