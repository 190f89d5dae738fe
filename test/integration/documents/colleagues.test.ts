import { sql } from 'kysely';
import { afterAll, beforeAll, expect, it } from 'vitest';
import { ROUTES } from '#src/api/routes/index.ts';
import type { Role } from '#src/tables/accounts.ts';
import { buildPng } from '#test/support/build-images.ts';
import { type Attack, attacksOn, leakedIn } from '#test/support/attacks.ts';
import { insertColleague } from '#test/support/colleague-keys.ts';
import { makeOwnThings } from '#test/support/seed-chat.ts';
import {
  insertPair,
  ownerOf,
  type SeededWorkspace,
  seedWorkspace,
} from '#test/support/seed-workspace.ts';
import { startTestMillrace, type TestMillrace } from '#test/support/test-millrace.ts';
import { type FilePart, sendFiles } from '#test/support/upload-files.ts';

const MARKER = 'quokkarium';
const PRIVATE_IDS = ['diary-1', 'diary-2'];

let millrace: TestMillrace;
let owner: SeededWorkspace;
/** Two users of one workspace: the second one attacks the first one's private documents. */
let target: SeededWorkspace;
let keys: Record<Role, string>;

beforeAll(async () => {
  millrace = await startTestMillrace();
  owner = await seedWorkspace(millrace, 'zanzibarium');
  const { db } = millrace.services;
  ({ keys } = await insertColleague(db, owner.workspaceId));
  const pairId = await insertPair(
    db,
    owner.workspaceId,
    'Private',
    await ownerOf(db, owner.workspaceId),
  );
  await sql`update cc_pair set access_type = 'private' where id = ${pairId}`.execute(db);
  for (const id of PRIVATE_IDS) {
    const document = {
      id,
      semantic_identifier: `Title ${MARKER}`,
      sections: [{ text: `The harbour of ${MARKER}.`, link: `https://${MARKER}.test/` }],
      metadata: { place: MARKER },
    };
    const body = { document, cc_pair_id: pairId };
    await millrace.call('POST', '/service-api/ingestion', body, { key: owner.adminKey });
  }
  await millrace.settled(owner.adminKey);
  target = { ...owner, marker: MARKER, documentIds: PRIVATE_IDS, pairId };
});
afterAll(() => millrace[Symbol.asyncDispose]());

const ask = (key: string, method: string, path: string, body: unknown) =>
  millrace.call(method, path, body, { key });

/** Everything stored about the private documents. */
async function stored(): Promise<string[]> {
  const { rows } = await sql<{ row: string }>`
    select to_jsonb(d)::text || coalesce((select string_agg(to_jsonb(c)::text, '' order by c.id)
        from chunk c where c.document_id = d.id), '')
      || (select string_agg(l.cc_pair_id::text, ',') from document_cc_pair l
        where l.document_id = d.id) as row
    from document d
    where d.workspace_id = ${owner.workspaceId}
      and (d.external_id = any(${PRIVATE_IDS}::text[]) or exists (select 1 from document_cc_pair l
        where l.document_id = d.id and l.cc_pair_id = ${target.pairId}))
    order by 1`.execute(millrace.services.db);
  return rows.map(({ row }) => row);
}

/** Administrators may change and remove shared things, including connectors with their documents. */
function isShared({ method, path }: Attack): boolean {
  return (
    method !== 'GET' && !/^\/(service-api|documents|search|chat|query|admin\/search)/.test(path)
  );
}

it.each(['read', 'ingest', 'member', 'admin'] as const)(
  'a colleague with the role %s calls every endpoint and neither sees nor changes private documents',
  async (role) => {
    const before = await stored();
    expect(before).toHaveLength(PRIVATE_IDS.length);
    let answered = 0;
    for (const prefix of ['', '/api']) {
      const own = { ...owner, ...(await makeOwnThings(millrace, keys.member)) };
      for (const attack of ROUTES.flatMap((route) => attacksOn(route, target, own))) {
        if (role === 'admin' && isShared(attack)) continue;
        const path = prefix + attack.path;
        const { body, headers } = attack;
        const answer = await millrace.call(attack.method, path, body, { key: keys[role], headers });
        expect(answer.status, `${attack.method} ${path}: ${answer.text}`).not.toBe(500);
        expect(
          leakedIn(answer, attack, [MARKER]),
          `${attack.method} ${path}: ${answer.text}`,
        ).toEqual([]);
        if (answer.status === 200) answered += 1;
      }
    }
    expect(answered).toBeGreaterThan(20);
    await millrace.settled(owner.adminKey);
    expect(await stored()).toEqual(before);
  },
);

it('a colleague who names an image of the owner in a document does not learn what it shows', async () => {
  const photo: FilePart[] = [['photo.png', buildPng(10, 10)]];
  const uploaded = await sendFiles(millrace, '/user/file/upload', photo, { key: owner.adminKey });
  const imageId = String(uploaded.body[0].file_id);
  const shows = 'velocirastellum';
  await sql`update stored_file set description = ${`It shows a ${shows}.`}
    where id = ${imageId}`.execute(millrace.services.db);
  const found = async () => (await ask(keys.member, 'POST', '/search', { query: shows })).text;
  const publish = async (id: string, key: string) => {
    const document = {
      id,
      semantic_identifier: 'A photo',
      sections: [{ image_file_id: imageId }, { text: 'A photo.' }],
      metadata: {},
    };
    expect((await ask(key, 'POST', '/service-api/ingestion', { document })).status).toBe(200);
    await millrace.settled(owner.adminKey);
  };
  for (const role of ['ingest', 'member', 'admin'] as const) {
    await publish(`of-${role}`, keys[role]);
    expect(await found()).not.toContain(shows);
  }
  await publish('of-owner', owner.adminKey);
  expect(await found()).toContain(shows);
});

it('the owner can see and change the private documents', async () => {
  const call = (method: string, path: string, body?: unknown) =>
    millrace.call(method, path, body, { key: owner.adminKey });
  expect((await call('GET', '/service-api/ingestion/diary-1')).text).toContain(MARKER);
  expect((await call('GET', '/service-api/ingestion')).text).toContain(MARKER);
  expect((await call('POST', '/search', { query: MARKER })).text).toContain('diary-2');
  expect((await call('DELETE', '/service-api/ingestion/diary-1')).status).toBe(200);
});
