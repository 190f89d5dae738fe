import { randomBytes, randomUUID } from 'node:crypto';
import net from 'node:net';
import { sql } from 'kysely';
import { afterAll, afterEach, beforeAll, describe, expect, it } from 'vitest';
import type { StoredFileId, WorkspaceId } from '#src/ids.ts';
import type { Answer } from '#test/support/api-client.ts';
import { buildZip } from '#test/support/build-files.ts';
import { startTestMillrace, type TestMillrace } from '#test/support/test-millrace.ts';
import { until } from '#test/support/until.ts';

const MAX_FILE_BYTES = 3_000_000;
const UPLOAD = '/manage/admin/connector/file/upload';
const BOUNDARY = 'x-boundary';

let millrace: TestMillrace;

beforeAll(async () => {
  millrace = await startTestMillrace({
    MAX_FILE_BYTES: String(MAX_FILE_BYTES),
    LOG_LEVEL: 'silent',
  });
});
afterAll(() => millrace[Symbol.asyncDispose]());

type FilePart = [name: string, content: string | Buffer, type?: string];

async function send(
  path: string,
  parts: FilePart[],
  { fields = {}, key = millrace.adminKey }: { fields?: Record<string, string>; key?: string } = {},
): Promise<Answer> {
  const form = new FormData();
  for (const [name, value] of Object.entries(fields)) form.append(name, value);
  for (const [name, content, type = 'application/octet-stream'] of parts) {
    form.append('files', new Blob([new Uint8Array(Buffer.from(content))], { type }), name);
  }
  const response = await fetch(`${millrace.url}${path}`, {
    method: 'POST',
    headers: { Authorization: `Bearer ${key}` },
    body: form,
    signal: AbortSignal.timeout(30_000),
  });
  const text = await response.text();
  return { status: response.status, headers: response.headers, text, body: JSON.parse(text) };
}

/** The parts as they are, with CRLF for each line end. */
function sendRaw(
  body: string,
  contentType = `multipart/form-data; boundary=${BOUNDARY}`,
): Promise<Answer> {
  return millrace.call('POST', UPLOAD, body.replaceAll('\n', '\r\n'), {
    headers: { 'Content-Type': contentType },
  });
}

async function rows(): Promise<{ files: number; parts: number }> {
  const { rows: found } = await sql<{ files: number; parts: number }>`
    select (select count(*)::int from stored_file) as files,
      (select count(*)::int from stored_file_part) as parts`.execute(millrace.services.db);
  return found[0] ?? { files: -1, parts: -1 };
}

async function read(id: string): Promise<{ name: string; metadata: object; bytes: Buffer } | null> {
  const workspaceId = await bootstrapWorkspace();
  const found = await millrace.services.files.read(workspaceId, id as StoredFileId);
  return found && { name: found.file.name, metadata: found.file.metadata, bytes: found.bytes };
}

async function bootstrapWorkspace(): Promise<WorkspaceId> {
  const { rows: found } = await sql<{ id: WorkspaceId }>`
    select id from workspace order by created_at limit 1`.execute(millrace.services.db);
  const [workspace] = found;
  if (!workspace) throw new Error('no workspace');
  return workspace.id;
}

const zip = (entries: Record<string, string>): Buffer =>
  buildZip(
    Object.entries(entries).map(([name, content]) => ({ name, content: Buffer.from(content) })),
  );

describe('an upload that fails leaves nothing', () => {
  let before: Awaited<ReturnType<typeof rows>>;
  beforeAll(async () => {
    before = await rows();
  });
  afterEach(async () => {
    expect(await rows()).toEqual(before);
  });

  it('when its second file is too large', async () => {
    const answer = await send(UPLOAD, [
      ['small.txt', 'small'],
      ['large.bin', randomBytes(MAX_FILE_BYTES + 1)],
      ['never.txt', 'never'],
    ]);
    expect([answer.status, answer.body.error_code]).toEqual([413, 'PAYLOAD_TOO_LARGE']);
    expect(answer.body.detail).toContain('large.bin is larger than 3000000 bytes (MAX_FILE_BYTES)');
  });

  it('when an entry of its zip is too large, though the zip is small', async () => {
    const bomb = buildZip([
      { name: 'a.txt', content: Buffer.from('a') },
      { name: 'b.txt', content: Buffer.alloc(MAX_FILE_BYTES + 1) },
    ]);
    const answer = await send(UPLOAD, [['bomb.zip', bomb]]);
    expect(answer.status).toBe(413);
    expect(answer.body.detail).toContain('b.txt is larger than');
  });

  it.each<[string, FilePart[], string]>([
    ['no zip at all', [['a.zip', 'just text']], 'a.zip is a damaged ZIP file'],
    [
      'cut off',
      [
        ['ok.txt', 'ok'],
        ['a.zip', zip({ a: 'A' }).subarray(0, 60)],
      ],
      'a.zip is a damaged ZIP file: its end is missing',
    ],
    ['empty', [['a.zip', zip({})]], 'a.zip holds no files'],
    [
      'one of two',
      [
        ['a.zip', zip({ a: 'A' })],
        ['b.zip', zip({ b: 'B' })],
      ],
      'b.zip is a second zip',
    ],
    [
      'described by something else than a list',
      [['a.zip', zip({ a: 'A', '.onyx_metadata.json': '{}' })]],
      '.onyx_metadata.json in a.zip must be an array',
    ],
  ])('when its zip is %s', async (_, parts, detail) => {
    const answer = await send(UPLOAD, parts);
    expect([answer.status, answer.body.error_code]).toEqual([400, 'BAD_REQUEST']);
    expect(answer.body.detail).toContain(detail);
  });

  const file = (name: string, content: string): string =>
    `--${BOUNDARY}\nContent-Disposition: form-data; name="files"; filename="${name}"\n\n${content}\n`;
  it.each([
    ['it has no boundary', file('a.txt', 'A'), 'multipart/form-data', 'Boundary not found'],
    [
      'it ends in the middle of a file',
      file('a.txt', 'A'),
      undefined,
      'Unexpected end of multipart data',
    ],
    [
      'it ends in the middle of a head',
      `${file('a.txt', 'A')}--${BOUNDARY}\nContent-Dis`,
      undefined,
      'Unexpected end',
    ],
    ['it is something else', '{"files": []}', undefined, 'Unexpected end of multipart data'],
    ['it holds no part', `--${BOUNDARY}--\n`, undefined, 'The form holds no files'],
    ['it is empty', '', undefined, 'Unexpected end of multipart data'],
    [
      'a file has no name',
      `${file('a.txt', 'A')}${file('', 'B')}--${BOUNDARY}--\n`,
      undefined,
      'has no filename',
    ],
    [
      'a file has a name of folders only',
      `${file('../..', 'B')}--${BOUNDARY}--\n`,
      undefined,
      'empty name',
    ],
    [
      'a file is in another field',
      `${file('a.txt', 'A')}${file('b.txt', 'B').replace('"files"', '"upload"')}--${BOUNDARY}--\n`,
      undefined,
      'a file in the field upload',
    ],
  ])('when %s', async (_, body, contentType, detail) => {
    const answer = await sendRaw(body, contentType);
    expect([answer.status, answer.body.error_code]).toEqual([400, 'BAD_REQUEST']);
    expect(answer.body.detail).toContain(detail);
  });

  it('when it has more parts than are taken, or too long a field', async () => {
    const many = await sendRaw(`${file('a.txt', 'A').repeat(1_001)}--${BOUNDARY}--\n`);
    expect([many.status, many.body.detail]).toEqual([413, expect.stringContaining('1000 files')]);
    const long = await send(UPLOAD, [], { fields: { note: 'x'.repeat(1_100_000) } });
    expect([long.status, long.body.detail]).toEqual([413, expect.stringContaining('field note')]);
  });

  it('when it is no form', async () => {
    const answer = await millrace.call('POST', UPLOAD, { files: [] });
    expect([answer.status, answer.body.error_code]).toEqual([415, 'UNSUPPORTED_MEDIA_TYPE']);
  });

  it('when its client goes away in the middle of a file', async () => {
    const { hostname, port } = new URL(millrace.url);
    const socket = net.connect(Number(port), hostname);
    const head = [
      `POST ${UPLOAD} HTTP/1.1`,
      `Host: ${hostname}`,
      `Authorization: Bearer ${millrace.adminKey}`,
      `Content-Type: multipart/form-data; boundary=${BOUNDARY}`,
      'Content-Length: 2900000',
      '',
      '',
    ].join('\r\n');
    socket.write(head + file('a.txt', 'whole').replaceAll('\n', '\r\n'));
    socket.write(file('b.bin', '').trimEnd().replaceAll('\n', '\r\n') + '\r\n\r\n');
    socket.write(randomBytes(2_000_000));
    // The first file is whole, and of the second a part is in the database.
    await until(async () => (await rows()).parts >= before.parts + 2);
    socket.destroy();
    await until(async () => (await rows()).files === before.files);
  });

  it('when its key is no admin key', async () => {
    const { body } = await millrace.call('POST', '/account/api-keys', {
      name: 'M',
      role: 'member',
    });
    const answer = await send(UPLOAD, [['a.txt', 'A']], { key: body.key ?? body.api_key });
    expect(answer.status).toBe(403);
  });
});

describe('an upload', () => {
  it('stores files of any content and size byte by byte, under their names', async () => {
    const large = randomBytes(2_500_001);
    const answer = await send(UPLOAD, [
      ['Grüße.txt', 'text'],
      ['large.bin', large],
      ['empty.txt', ''],
      ['../../etc/passwd', 'x'],
    ]);
    expect(answer.status).toBe(200);
    expect(answer.body).toEqual({
      file_paths: expect.any(Array),
      file_names: ['Grüße.txt', 'large.bin', 'empty.txt', 'etc/passwd'],
      zip_metadata_file_id: null,
    });
    const stored = await Promise.all((answer.body.file_paths as string[]).map(read));
    expect(stored.map((one) => one?.name)).toEqual(answer.body.file_names);
    expect(stored[1]?.bytes.equals(large)).toBe(true);
    expect(stored[2]?.bytes).toHaveLength(0);
  });

  it('unpacks a zip into one file per entry, with what its metadata file says', async () => {
    const metadata = JSON.stringify([{ filename: 'a.md', link: 'https://x.example/a' }]);
    const entries = {
      'docs/a.md': 'A',
      'b.md': 'B',
      '.onyx_metadata.json': metadata,
      '.DS_Store': '-',
    };
    const before = await rows();
    const { body } = await send(UPLOAD, [
      ['c.md', 'C'],
      ['all.zip', zip(entries), 'application/zip'],
    ]);
    expect(body.file_names).toEqual(['c.md', 'docs/a.md', 'b.md']);
    const stored = await Promise.all((body.file_paths as string[]).map(read));
    expect(stored.map((one) => [one?.bytes.toString(), one?.metadata])).toEqual([
      ['C', {}],
      ['A', { link: 'https://x.example/a' }],
      ['B', {}],
    ]);
    expect((await read(body.zip_metadata_file_id))?.bytes.toString()).toBe(metadata);
    // Three files and the metadata; the zip itself is not kept.
    expect((await rows()).files).toBe(before.files + 4);
  });

  it('stores a zip as it is when asked to', async () => {
    const bytes = zip({ 'a.md': 'A' });
    const { body } = await send(`${UPLOAD}?unzip=false`, [['all.zip', bytes]]);
    expect(body.file_names).toEqual(['all.zip']);
    expect((await read(body.file_paths[0]))?.bytes.equals(bytes)).toBe(true);
  });

  it('is taken compressed, too, and counted unpacked', async () => {
    const form = `--${BOUNDARY}\r\nContent-Disposition: form-data; name="files"; filename="a.bin"\r\n\r\n`;
    const send = async (bytes: number): Promise<number> => {
      const whole = Buffer.concat([
        Buffer.from(form),
        Buffer.alloc(bytes),
        Buffer.from(`\r\n--${BOUNDARY}--\r\n`),
      ]);
      const stream = new Blob([whole]).stream().pipeThrough(new CompressionStream('gzip'));
      const response = await fetch(`${millrace.url}${UPLOAD}`, {
        method: 'POST',
        headers: {
          Authorization: `Bearer ${millrace.adminKey}`,
          'Content-Type': `multipart/form-data; boundary=${BOUNDARY}`,
          'Content-Encoding': 'gzip',
        },
        body: await new Response(stream).bytes(),
      });
      await response.text();
      return response.status;
    };
    expect(await send(MAX_FILE_BYTES)).toBe(200);
    expect(await send(MAX_FILE_BYTES + 1)).toBe(413);
  });

  it('is seen by its own workspace only', async () => {
    const { body } = await send(UPLOAD, [['a.txt', 'A']]);
    const { workspaceId } = await millrace.createWorkspace();
    const id = body.file_paths[0] as StoredFileId;
    const { files } = millrace.services;
    expect(await files.read(workspaceId as WorkspaceId, id)).toBeNull();
    await files.remove(workspaceId as WorkspaceId, [id]);
    expect(await read(id)).not.toBeNull();
  });
});

describe('the files of a connector', () => {
  const create = async (ids: string[], names: string[] | null): Promise<number> => {
    const { body, status, text } = await millrace.call('POST', '/manage/admin/connector', {
      name: `Files ${randomUUID()}`,
      source: 'file',
      input_type: 'load_state',
      access_type: 'public',
      connector_specific_config: { file_locations: ids, file_names: names },
      refresh_freq: null,
      prune_freq: null,
      indexing_start: null,
    });
    expect([status, text]).toEqual([200, expect.any(String)]);
    return body.id;
  };
  const filesOf = async (id: number): Promise<Record<string, unknown>[]> =>
    (await millrace.call('GET', `/manage/admin/connector/${id}/files`)).body.files;
  const update = (id: number, parts: FilePart[], remove: string[] | string): Promise<Answer> =>
    send(`/manage/admin/connector/${id}/files/update`, parts, {
      fields: { file_ids_to_remove: typeof remove === 'string' ? remove : JSON.stringify(remove) },
    });

  it('are listed, added to and taken from', async () => {
    const { body } = await send(UPLOAD, [
      ['a.txt', 'A'],
      ['b.txt', 'BB'],
    ]);
    const [a, b] = body.file_paths as [string, string];
    const id = await create([a, b], null);
    expect(await filesOf(id)).toEqual([
      { file_id: a, file_name: 'a.txt', file_size: 1, upload_date: expect.any(String) },
      { file_id: b, file_name: 'b.txt', file_size: 2, upload_date: expect.any(String) },
    ]);

    const changed = await update(id, [['c.txt', 'CCC']], [a]);
    expect(changed.status).toBe(200);
    expect(changed.body.file_names).toEqual(['b.txt', 'c.txt']);
    expect((await filesOf(id)).map((file) => file['file_id'])).toEqual(changed.body.file_paths);
    expect(await read(a)).toBeNull();
    expect(await read(b)).not.toBeNull();
  });

  it('are kept where another connector names them', async () => {
    const { body } = await send(UPLOAD, [
      ['a.txt', 'A'],
      ['b.txt', 'B'],
    ]);
    const [a, b] = body.file_paths as [string, string];
    const id = await create([a, b], null);
    await create([a], null);
    expect((await update(id, [], [a])).status).toBe(200);
    expect(await read(a)).not.toBeNull();
  });

  it('stay as they are when the change is refused', async () => {
    const { body } = await send(UPLOAD, [['a.txt', 'A']]);
    const [a] = body.file_paths as [string];
    const id = await create([a], ['Named.txt']);
    const before = await rows();
    const refused: [FilePart[], string[] | string, string][] = [
      [[], [a], 'No file would be left'],
      [[['b.txt', 'B']], [randomUUID()], 'the connector has no file'],
      [[['b.txt', 'B']], 'a.txt', 'must be a JSON array of file ids'],
      [[['b.txt', 'B']], '["a.txt"]', 'must be a JSON array of file ids'],
    ];
    for (const [parts, remove, detail] of refused) {
      const answer = await update(id, parts, remove);
      expect([answer.status, answer.body.detail]).toEqual([400, expect.stringContaining(detail)]);
    }
    expect((await update(999_999, [['b.txt', 'B']], [])).status).toBe(404);
    const other = await millrace.createWorkspace();
    const theirs = await send(`/manage/admin/connector/${id}/files/update`, [['b.txt', 'B']], {
      key: other.key,
    });
    expect(theirs.status).toBe(404);
    expect(await rows()).toEqual(before);
    expect(await filesOf(id)).toMatchObject([{ file_id: a, file_name: 'Named.txt' }]);
  });

  it('are indexed once the connector is linked, and again when files are added', async () => {
    const archive = zip({
      'a.md': '# Alpha',
      'broken.pdf': '%PDF-1.4 cut off',
      '.millrace_metadata.json': JSON.stringify([{ filename: 'a.md', id: 'alpha' }]),
    });
    const { body } = await send(UPLOAD, [['all.zip', archive]]);
    const id = await create(body.file_paths, body.file_names);
    const linked = await millrace.call('PUT', `/manage/admin/connector/${id}/credential/0`, {
      name: `Pair ${id}`,
      access_type: 'public',
    });
    expect([linked.status, linked.body.success]).toEqual([200, true]);
    const attempts = async (): Promise<Record<string, unknown>[]> =>
      (await millrace.call('GET', `/manage/admin/cc-pair/${linked.body.data}/index-attempts`)).body
        .items;
    const isIndexed = async (documentId: string): Promise<boolean> =>
      (await millrace.call('GET', `/service-api/ingestion/${documentId}`)).body.status ===
      'indexed';
    await until(() => isIndexed('alpha'));
    await until(async () => (await attempts())[0]?.['status'] === 'completed_with_errors');
    expect(await attempts()).toMatchObject([{ new_docs_indexed: 1, error_count: 1 }]);

    const changed = await update(id, [['b.md', '# Beta']], [body.file_paths[1]]);
    expect(changed.body.file_names).toEqual(['a.md', 'b.md']);
    await until(() => isIndexed(`FILE_CONNECTOR__${changed.body.file_paths[1]}`));
    await until(async () => (await attempts())[0]?.['status'] === 'success');
    expect(await attempts()).toHaveLength(2);
  });
});
