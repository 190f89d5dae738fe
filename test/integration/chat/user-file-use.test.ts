import { randomUUID } from 'node:crypto';
import { sql } from 'kysely';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { searchUserFiles } from '#src/chat/user-files/search-user-files.ts';
import { loadAttachments } from '#src/chat/user-files/load-attachments.ts';
import { listProjectFiles } from '#src/chat/user-files/list-project-files.ts';
import type { ProjectId, UserFileId } from '#src/ids.ts';
import type { Answer } from '#test/support/api-client.ts';
import { buildPng } from '#test/support/build-images.ts';
import { addUser, openWorkspace, type TestUser } from '#test/support/test-users.ts';
import { startTestMillrace, type TestMillrace } from '#test/support/test-millrace.ts';
import { until } from '#test/support/until.ts';
import { type FilePart, sendFiles } from '#test/support/upload-files.ts';

const UPLOAD = '/user/projects/file/upload';
const MAX_FILE_BYTES = 2_000_000;
const never = new AbortController().signal;

let millrace: TestMillrace;
let ana: TestUser;
/** Another user of Ana's workspace. */
let ben: TestUser;
/** A user of another workspace. */
let eve: TestUser;

beforeAll(async () => {
  millrace = await startTestMillrace({
    MAX_FILE_BYTES: String(MAX_FILE_BYTES),
    MAX_FILE_TOKENS: '20000',
    LOG_LEVEL: 'silent',
  });
  ana = await openWorkspace(millrace);
  ben = await addUser(millrace, ana, 'member');
  eve = await openWorkspace(millrace);
});
afterAll(() => millrace[Symbol.asyncDispose]());

const upload = (
  parts: FilePart[],
  {
    person = ana,
    fields = {},
    path = UPLOAD,
  }: { person?: TestUser; fields?: Record<string, string>; path?: string } = {},
): Promise<Answer> => sendFiles(millrace, path, parts, { key: person.key, fields });

async function settled(id: string, person = ana): Promise<Answer['body']> {
  let file: Answer['body'];
  await until(async () => {
    file = (await person.call('GET', `/user/projects/file/${id}`)).body;
    return file.status !== 'PROCESSING';
  });
  return file;
}

it('a file of Ana does not exist for other users', async () => {
  const { body } = await upload([['secret.txt', 'The code is zebra.']]);
  const [{ id, file_id: fileId }] = body.user_files;
  await settled(id);
  for (const person of [ben, eve]) {
    expect((await person.call('GET', `/user/projects/file/${id}`)).status).toBe(404);
    expect((await person.call('DELETE', `/user/projects/file/${id}`)).status).toBe(404);
    expect((await person.call('GET', `/chat/file/${fileId}`)).status).toBe(404);
    expect(
      (await person.call('POST', '/user/projects/file/statuses', { file_ids: [id] })).body,
    ).toEqual([]);
    expect((await person.call('GET', '/user/files/recent')).text).not.toContain(id);
    for (const reference of [
      { id: fileId, userFileId: null },
      { id: fileId, userFileId: id },
      { id, userFileId: null },
    ]) {
      await expect(
        loadAttachments(millrace.services, person, [reference], never),
      ).rejects.toMatchObject({
        code: 'BAD_REQUEST',
        message: expect.stringContaining('file_descriptors[0]'),
      });
    }
    expect(
      await searchUserFiles(millrace.services.db, person, {
        userFileIds: [id],
        query: 'zebra code',
        limit: 5,
        signal: never,
      }),
    ).toEqual([]);
  }
  expect((await ana.call('GET', `/user/projects/file/${id}`)).status).toBe(200);
});

it('a project protects its files from deletion and provides their text', async () => {
  const project = await ana.call('POST', '/user/projects/create?name=Audit');
  const { body } = await upload([['plan.txt', 'The plan.']], {
    fields: { project_id: String(project.body.id) },
  });
  const [{ id, file_id: fileId }] = body.user_files;
  await settled(id);
  expect((await ana.call('DELETE', `/user/projects/file/${id}`)).body).toEqual({
    has_associations: true,
    project_names: ['Audit'],
    assistant_names: [],
  });
  const projectId = project.body.id as ProjectId;
  expect(await listProjectFiles(millrace.services.db, ana, projectId)).toEqual([
    { userFileId: id, storedFileId: fileId, name: 'plan.txt', text: 'The plan.', tokenCount: 3 },
  ]);
  expect(await listProjectFiles(millrace.services.db, ben, projectId)).toEqual([]);
  await ana.call('DELETE', `/user/projects/${project.body.id}/files/${id}`);
  expect((await ana.call('DELETE', `/user/projects/file/${id}`)).body.has_associations).toBe(false);
  expect((await ana.call('GET', `/chat/file/${fileId}`)).status).toBe(404);
  expect(await millrace.services.files.find(ana.workspaceId, fileId)).toBeNull();
});

it('invalid ids are answered like unknown ones', async () => {
  for (const id of ['nothing', 'a%2Fb', '1', randomUUID()]) {
    expect((await ana.call('GET', `/user/projects/file/${id}`)).status).toBe(404);
    expect((await ana.call('GET', `/chat/file/${id}`)).status).toBe(404);
  }
  const many = Array.from({ length: 1_001 }, () => randomUUID());
  expect((await ana.call('POST', '/user/projects/file/statuses', { file_ids: many })).status).toBe(
    400,
  );
  expect((await ana.call('POST', '/user/projects/file/statuses', { file_ids: ['x'] })).status).toBe(
    400,
  );
});

it('a search finds the best passages first, a few per file', async () => {
  const filler = (topic: string): string =>
    `${`Filler about ${topic} and other everyday matters. `.repeat(80)}\n\n`;
  const { body } = await upload([
    ['animals.md', `# Zebras\n\nZebras graze on the savanna.\n\n# Oxen\n\n${filler('oxen')}`],
    ['budget.md', `# Budget\n\nThe marketing budget is 40,000.\n\n${filler('money')}`],
  ]);
  const ids: UserFileId[] = body.user_files.map((file: { id: string }) => file.id);
  for (const id of ids) await settled(id);
  const search = (query: string, limit = 3) =>
    searchUserFiles(millrace.services.db, ana, { userFileIds: ids, query, limit, signal: never });
  const [first, ...others] = await search('Where do zebras graze?');
  expect(first).toMatchObject({
    document_id: ids[0],
    semantic_identifier: 'animals.md',
    link: `/chat/file/${body.user_files[0].file_id}`,
    source_type: 'user_file',
    score: 1,
    is_internet: false,
  });
  expect(first?.text).toContain('Zebras graze on the savanna.');
  expect(first?.match_highlights.join()).toContain('<hi>');
  for (const other of others) expect(other.score).toBeLessThan(1);
  expect((await search('budget'))[0]?.document_id).toBe(ids[1]);
  expect(await search('filler everyday', 1)).toHaveLength(1);
  expect(await search('quasar')).toEqual([]);
  expect(await search('the of and')).toEqual([]);
});

describe('an attachment', () => {
  it('has its text before its worker has read it, when it is small', async () => {
    const { body } = await upload([['note.txt', 'Read me now.']]);
    const [{ id, file_id: fileId }] = body.user_files;
    await settled(id);
    await sql`update user_file set status = 'PROCESSING', text = null, claimed_until = now() + interval '1 minute'
      where id = ${id}`.execute(millrace.services.db);
    const [attachment] = await loadAttachments(
      millrace.services,
      ana,
      [{ id: fileId, userFileId: null }],
      never,
    );
    expect(attachment).toMatchObject({
      descriptor: { id: fileId, type: 'plain_text', name: 'note.txt', user_file_id: id },
      text: 'Read me now.',
      tokenCount: 4,
      image: null,
    });
    expect(Buffer.from((await attachment?.read(never)) ?? []).toString()).toBe('Read me now.');
  });

  it('is an image for models that support vision', async () => {
    const png = buildPng(10, 10);
    const { body } = await upload([['dot.png', png]]);
    const [attachment] = await loadAttachments(
      millrace.services,
      ana,
      [{ id: body.user_files[0].id, userFileId: null }],
      never,
    );
    expect(attachment).toMatchObject({ text: null, image: { mediaType: 'image/png' } });
    expect(Buffer.from(attachment?.image?.bytes ?? []).equals(png)).toBe(true);
  });

  it('that could not be read is named by its position and the reason', async () => {
    const { body } = await upload([
      ['ok.txt', 'ok'],
      ['blank.txt', ' '],
    ]);
    for (const { id } of body.user_files) await settled(id);
    const references = body.user_files.map(({ file_id: id }: { file_id: string }) => ({
      id,
      userFileId: null,
    }));
    await expect(loadAttachments(millrace.services, ana, references, never)).rejects.toMatchObject({
      code: 'BAD_REQUEST',
      message: 'file_descriptors[1]: blank.txt contains no text.',
    });
    await expect(
      loadAttachments(millrace.services, ana, [{ id: "'; --", userFileId: null }], never),
    ).rejects.toMatchObject({ code: 'BAD_REQUEST' });
  });

  it('may be a file that a tool has made for the user, and for nobody else', async () => {
    const save = (createdBy: TestUser) =>
      millrace.services.files.save(
        {
          workspaceId: createdBy.workspaceId,
          createdBy: createdBy.userId,
          name: 'made.csv',
          mediaType: 'text/csv',
        },
        (async function* () {
          yield Buffer.from('a,b\n1,2');
        })(),
      );
    const [mine, bens] = [await save(ana), await save(ben)];
    const [attachment] = await loadAttachments(
      millrace.services,
      ana,
      [{ id: mine.id, userFileId: null }],
      never,
    );
    expect(attachment).toMatchObject({ descriptor: { type: 'csv', user_file_id: null } });
    expect(attachment?.text).toContain('1');
    await expect(
      loadAttachments(millrace.services, ana, [{ id: bens.id, userFileId: null }], never),
    ).rejects.toMatchObject({ code: 'BAD_REQUEST' });
  });
});
