import { sql } from 'kysely';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { describeApiKey } from '#src/accounts/api-keys.ts';
import type { ApiKeyId, UserId, WorkspaceId } from '#src/ids.ts';
import { insertPair, insertUser, ownerOf } from '#test/support/seed-workspace.ts';
import { startTestMillrace, type TestMillrace } from '#test/support/test-millrace.ts';

let millrace: TestMillrace;
let own: string;
const colleagueKey = 'a-colleagues-own-key-0123456789';

beforeAll(async () => {
  millrace = await startTestMillrace();
  const { workspaceId, key } = await millrace.createWorkspace();
  own = key;
  const { db } = millrace.services;
  const colleague = await insertUser(db, workspaceId);
  await db
    .insertInto('api_key')
    .values({
      ...describeApiKey(colleagueKey),
      // The rows of a test are branded where they are made.
      id: '00000000-0000-4000-8000-00000000c011' as ApiKeyId,
      workspace_id: workspaceId as WorkspaceId,
      user_id: colleague as UserId,
      name: 'Colleague',
      role: 'read',
      is_bootstrap: false,
    })
    .execute();
  const owner = await ownerOf(db, workspaceId);
  const secret = await insertPair(db, workspaceId, 'Secret', owner);
  const open = await insertPair(db, workspaceId, 'Open', owner);
  await sql`update cc_pair set access_type = 'PRIVATE' where id = ${secret}`.execute(db);
  for (const [id, pair] of [
    ['secret', secret],
    ['open', open],
    ['both', secret],
    ['both', open],
  ] as const) {
    await millrace.call(
      'POST',
      '/service-api/ingestion',
      {
        document: {
          id,
          semantic_identifier: id,
          sections: [{ text: `The walrus is ${id}.` }],
        },
        cc_pair_id: pair,
      },
      { key },
    );
  }
  await millrace.settled(key);
});
afterAll(() => millrace[Symbol.asyncDispose]());

async function found(key: string): Promise<string[]> {
  const { body } = await millrace.call('POST', '/search', { query: 'walrus' }, { key });
  return body.results.map((hit: { document_id: string }) => hit.document_id).toSorted();
}

describe('a private pair', () => {
  it('is searched by the one who made it', async () => {
    expect(await found(own)).toEqual(['both', 'open', 'secret']);
  });

  it('is hidden from a colleague, except for what a public pair has too', async () => {
    expect(await found(colleagueKey)).toEqual(['both', 'open']);
    const { text } = await millrace.call(
      'POST',
      '/chat/send-chat-message',
      { message: 'What is the walrus?', stream: false },
      { key: colleagueKey },
    );
    expect(text).toContain('walrus');
    expect(text).not.toContain('secret');
  });
});
