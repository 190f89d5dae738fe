// @module-tag database
// @module-tag queues
import { randomBytes } from 'node:crypto';
import { sql } from 'kysely';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import type { Answer } from '#test/support/api-client.ts';
import { buildDocx, buildPdf, buildZip } from '#test/support/build-files.ts';
import { buildJpeg, buildPng } from '#test/support/build-images.ts';
import { addUser, openWorkspace, type TestUser } from '#test/support/test-users.ts';
import { startTestMillrace, type TestMillrace } from '#test/support/test-millrace.ts';
import { until } from '#test/support/until.ts';
import { type FilePart, sendFiles } from '#test/support/upload-files.ts';

const UPLOAD = '/user/projects/file/upload';
const MAX_FILE_BYTES = 2_000_000;

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

/** Row counts, taken once no upload is being processed. */
async function counts(): Promise<{ stored: number; files: number; chunks: number }> {
  await until(async () => {
    const { rows } = await sql`select 1 from user_file where status = 'PROCESSING'`.execute(
      millrace.services.db,
    );
    return rows.length === 0;
  });
  const { rows } = await sql<{ stored: number; files: number; chunks: number }>`
    select (select count(*)::int from stored_file) as stored, (select count(*)::int from user_file) as files,
      (select count(*)::int from user_file_chunk) as chunks`.execute(millrace.services.db);
  const [row] = rows;
  if (!row) throw new Error('The count query returned no row.');
  return row;
}

const zipNamed = (name: string, declaredBytes: number): FilePart => [
  name,
  buildZip([{ name: 'word/document.xml', content: Buffer.alloc(1_000_000), declaredBytes }]),
];

describe('an upload neither accepts nor stores a file', () => {
  it.each<[string, FilePart, RegExp]>([
    ['that is empty', ['empty.txt', ''], /empty\.txt is empty/],
    [
      'that is larger than the limit',
      ['large.txt', Buffer.alloc(MAX_FILE_BYTES + 1, 'a')],
      /large\.txt is larger than 2 MB/,
    ],
    [
      'whose content is of an unknown kind',
      ['data.bin', randomBytes(5_000)],
      /binary file of an unknown kind/,
    ],
    [
      'that is an image named like a PDF',
      ['invoice.pdf', buildPng()],
      /is named \.pdf but its content is an image/,
    ],
    [
      'that is text named like an image',
      ['photo.png', '<script>alert(1)</script>'],
      /named like an image, but its content is not one/,
    ],
    [
      'that is half an image',
      ['photo.jpg', buildJpeg().subarray(0, 25)],
      /photo\.jpg is a damaged JPEG/,
    ],
    [
      'that is a pixel bomb',
      ['bomb.png', buildPng(60_000, 60_000)],
      /60000 × 60000 pixels; the limit is 50 megapixels/,
    ],
    [
      'that is an old or password-protected Office file',
      ['plan.docx', Buffer.from('d0cf11e0a1b11ae1', 'hex')],
      /password-protected Office file/,
    ],
    ['whose zip declares itself a bomb', zipNamed('bomb.docx', 3_000_000_000), /bomb\.docx/],
    ['whose zip is a bomb but declares a small size', zipNamed('bomb.docx', 10), /bomb\.docx/],
    [
      'that is a zip of an unknown kind',
      ['a.zip', buildZip([{ name: 'a.txt', content: Buffer.from('a') }])],
      /zip container without/,
    ],
    ['that is a PDF in name only', ['fake.pdf', 'just text'], /its content is not a PDF/],
  ])('%s', async (_, part, reason) => {
    const before = await counts();
    const answer = await upload([part]);
    expect([answer.status, answer.body.user_files]).toEqual([200, []]);
    expect(answer.body.rejected_files).toEqual([
      { file_name: part[0], reason: expect.stringMatching(reason) },
    ]);
    expect(await counts()).toEqual(before);
  });

  it('but stores the other files of the request', async () => {
    const { body } = await upload([
      ['one.txt', 'The first.'],
      ['large.txt', Buffer.alloc(MAX_FILE_BYTES + 500_000, 'a')],
      ['two.md', '# The second'],
    ]);
    expect(body.user_files.map((file: { name: string }) => file.name)).toEqual([
      'one.txt',
      'two.md',
    ]);
    expect(body.rejected_files).toHaveLength(1);
  });
});

describe('an upload that fails as a whole stores nothing', () => {
  it.each<[string, FilePart[], Record<string, string>, number]>([
    ['for an unknown project', [['a.txt', 'A']], { project_id: '2147483647' }, 404],
    ['for a project id in words', [['a.txt', 'A']], { project_id: '1; drop table' }, 400],
    ['for temporary ids that are not an object', [['a.txt', 'A']], { temp_id_map: '[1]' }, 400],
    ['for temporary ids that are not JSON', [['a.txt', 'A']], { temp_id_map: '{' }, 400],
    ['without files', [], { project_id: '' }, 400],
    [
      'for a file far beyond the size limit',
      [
        ['a.txt', 'A'],
        ['huge.txt', Buffer.alloc(MAX_FILE_BYTES * 10 + 1)],
      ],
      {},
      413,
    ],
  ])('%s', async (_, parts, fields, status) => {
    const before = await counts();
    expect((await upload(parts, { fields })).status).toBe(status);
    expect(await counts()).toEqual(before);
  });

  it("for another user's project, exactly as for an unknown one", async () => {
    const project = await ben.call('POST', '/user/projects/create?name=Private');
    for (const person of [ana, eve]) {
      const answer = await upload([['a.txt', 'A']], {
        person,
        fields: { project_id: String(project.body.id) },
      });
      expect(answer.status).toBe(404);
    }
  });
});

it('an upload returns a snapshot of each file, with the temporary ids', async () => {
  const content = 'Quarterly numbers.';
  const { status, body } = await upload([['numbers.txt', content, 'application/x-evil']], {
    fields: { temp_id_map: JSON.stringify({ [`${content.length}|numbers.txt`]: 'temp-7' }) },
  });
  expect(status).toBe(200);
  expect(body.user_files).toEqual([
    {
      id: expect.any(String),
      temp_id: 'temp-7',
      name: 'numbers.txt',
      project_id: null,
      user_id: ana.userId,
      file_id: expect.any(String),
      created_at: expect.any(String),
      status: 'PROCESSING',
      last_accessed_at: null,
      file_type: 'text/plain',
      chat_file_type: 'plain_text',
      token_count: null,
      chunk_count: null,
      error: null,
    },
  ]);
  const [{ id }] = body.user_files;
  expect(await settled(id)).toMatchObject({ status: 'COMPLETED', token_count: 5, chunk_count: 1 });
});

it.each<[string, Buffer, string, string]>([
  [
    'report.docx',
    buildDocx('Report', ['Words.']),
    'document',
    'application/vnd.openxmlformats-officedocument.wordprocessingml.document',
  ],
  ['report.pdf', buildPdf(['Words of a page.']), 'document', 'application/pdf'],
  ['table.csv', Buffer.from('a,b\n1,2\n'), 'csv', 'text/csv'],
  ['page.html', Buffer.from('<html><body><p>Words</p></body></html>'), 'plain_text', 'text/html'],
  ['notes', Buffer.from('Words.'), 'plain_text', 'text/plain'],
])('an upload of %s is recognized', async (name, content, type, mediaType) => {
  const { body } = await upload([[name, content]]);
  expect(body.user_files[0]).toMatchObject({ chat_file_type: type, file_type: mediaType });
  expect(await settled(body.user_files[0].id)).toMatchObject({ status: 'COMPLETED' });
});

it('images are ready at once and recognized by their content', async () => {
  const { body } = await upload([
    ['picture', buildPng(300, 200)],
    ['photo.png', buildJpeg()],
  ]);
  expect(body.user_files).toMatchObject([
    {
      chat_file_type: 'image',
      file_type: 'image/png',
      status: 'COMPLETED',
      token_count: 80,
      chunk_count: 0,
    },
    { chat_file_type: 'image', file_type: 'image/jpeg', status: 'COMPLETED' },
  ]);
});

it('folders in a file name are dropped', async () => {
  const { body } = await upload([
    ['../../etc/passwd', 'root'],
    ['C:\\temp\\a.txt', 'A'],
    ['..', 'B'],
  ]);
  expect(body.user_files.map((file: { name: string }) => file.name)).toEqual(['passwd', 'a.txt']);
  expect(body.rejected_files).toHaveLength(1);
});

it('a file with too many tokens or without text fails with the reason', async () => {
  const { body } = await upload([
    ['long.txt', 'word '.repeat(40_000)],
    ['blank.txt', ' \n '],
  ]);
  const [long, blank] = body.user_files;
  expect(await settled(long.id)).toMatchObject({
    status: 'FAILED',
    error: expect.stringContaining('40 K tokens; the limit is 20 K'),
  });
  expect(await settled(blank.id)).toMatchObject({
    status: 'FAILED',
    error: 'blank.txt contains no text.',
  });
});

describe('the legacy upload', () => {
  const OLD = '/user/file/upload';
  it('answers with a bare list', async () => {
    const { status, body } = await upload([['a.png', buildPng()]], { path: OLD });
    expect([status, body]).toEqual([
      200,
      [
        expect.objectContaining({
          id: expect.any(Number),
          name: 'a.png',
          status: 'INDEXED',
          indexed: true,
          chat_file_type: 'image',
          document_id: `USER_FILE_CONNECTOR__${body[0].file_id}`,
        }),
      ],
    ]);
  });

  it('stores nothing when one of its files cannot be used', async () => {
    const before = await counts();
    const { status, body } = await upload(
      [
        ['a.txt', 'A'],
        ['b.png', 'B'],
      ],
      { path: OLD },
    );
    expect([status, body.detail]).toEqual([400, expect.stringContaining('b.png')]);
    expect(await counts()).toEqual(before);
  });
});
