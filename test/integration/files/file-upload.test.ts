// @module-tag smoke
import { randomBytes } from 'node:crypto';
import net from 'node:net';
import { afterAll, afterEach, beforeAll, describe, expect, it } from 'vitest';
import type { StoredFileId, WorkspaceId } from '#src/ids.ts';
import type { Answer } from '#test/support/api-client.ts';
import { buildZip } from '#test/support/build-files.ts';
import { startTestMillrace, type TestMillrace } from '#test/support/test-millrace.ts';
import { until } from '#test/support/until.ts';
import {
  type FilePart,
  readStored,
  sendFiles,
  type SendOptions,
  storedRows,
  zipOf,
} from '#test/support/upload-files.ts';

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

const send = (path: string, parts: FilePart[], options: SendOptions = {}): Promise<Answer> =>
  sendFiles(millrace, path, parts, options);
const rows = (): ReturnType<typeof storedRows> => storedRows(millrace);
const read = (id: string): ReturnType<typeof readStored> => readStored(millrace, id);

/** Sends the body unchanged, except that line ends become CRLF. */
function sendRaw(
  body: string,
  contentType = `multipart/form-data; boundary=${BOUNDARY}`,
): Promise<Answer> {
  return millrace.call('POST', UPLOAD, body.replaceAll('\n', '\r\n'), {
    headers: { 'Content-Type': contentType },
  });
}

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

  it('when an entry of its zip is too large, although the zip is small', async () => {
    const bomb = buildZip([
      { name: 'a.txt', content: Buffer.from('a') },
      { name: 'b.txt', content: Buffer.alloc(MAX_FILE_BYTES + 1) },
    ]);
    const answer = await send(UPLOAD, [['bomb.zip', bomb]]);
    expect(answer.status).toBe(413);
    expect(answer.body.detail).toContain('b.txt is larger than');
  });

  it.each<[string, FilePart[], string]>([
    ['not a zip', [['a.zip', 'just text']], 'a.zip is a damaged ZIP file'],
    [
      'cut off',
      [
        ['ok.txt', 'ok'],
        ['a.zip', zipOf({ a: 'A' }).subarray(0, 60)],
      ],
      'a.zip is a damaged ZIP file: its end is missing',
    ],
    ['empty', [['a.zip', zipOf({})]], 'a.zip holds no files'],
    [
      'one of two',
      [
        ['a.zip', zipOf({ a: 'A' })],
        ['b.zip', zipOf({ b: 'B' })],
      ],
      'b.zip is a second zip',
    ],
    [
      'described by a metadata file that is not a list',
      [['a.zip', zipOf({ a: 'A', '.onyx_metadata.json': '{}' })]],
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
      'it ends in the middle of a header',
      `${file('a.txt', 'A')}--${BOUNDARY}\nContent-Dis`,
      undefined,
      'Unexpected end',
    ],
    ['it is not multipart', '{"files": []}', undefined, 'Unexpected end of multipart data'],
    ['it holds no part', `--${BOUNDARY}--\n`, undefined, 'The form holds no files'],
    ['it is empty', '', undefined, 'Unexpected end of multipart data'],
    [
      'a file has no name',
      `${file('a.txt', 'A')}${file('', 'B')}--${BOUNDARY}--\n`,
      undefined,
      'has no filename',
    ],
    [
      'a file name consists only of folders',
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

  it('when it has too many parts or a field that is too long', async () => {
    const many = await sendRaw(`${file('a.txt', 'A').repeat(1_001)}--${BOUNDARY}--\n`);
    expect([many.status, many.body.detail]).toEqual([413, expect.stringContaining('1000 files')]);
    const long = await send(UPLOAD, [], { fields: { note: 'x'.repeat(1_100_000) } });
    expect([long.status, long.body.detail]).toEqual([413, expect.stringContaining('field note')]);
  });

  it('when it is not a form', async () => {
    const answer = await millrace.call('POST', UPLOAD, { files: [] });
    expect([answer.status, answer.body.error_code]).toEqual([415, 'UNSUPPORTED_MEDIA_TYPE']);
  });

  it('when its client disconnects in the middle of a file', async () => {
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
    // The first file is complete and the second one is arriving.
    await until(async () => (await rows()).files >= before.files + 2);
    socket.destroy();
    await until(async () => (await rows()).files === before.files);
  });

  it('when its key is not an admin key', async () => {
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

  it('unpacks a zip into one file per entry, with the metadata from its metadata file', async () => {
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
      ['all.zip', zipOf(entries), 'application/zip'],
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

  it('stores a zip unchanged on request', async () => {
    const bytes = zipOf({ 'a.md': 'A' });
    const { body } = await send(`${UPLOAD}?unzip=false`, [['all.zip', bytes]]);
    expect(body.file_names).toEqual(['all.zip']);
    expect((await read(body.file_paths[0]))?.bytes.equals(bytes)).toBe(true);
  });

  it('is accepted compressed, and its size counts uncompressed', async () => {
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

  it('is visible only in its own workspace', async () => {
    const { body } = await send(UPLOAD, [['a.txt', 'A']]);
    const { workspaceId } = await millrace.createWorkspace();
    const id = body.file_paths[0] as StoredFileId;
    const { files } = millrace.services;
    expect(await files.read(workspaceId as WorkspaceId, id)).toBeNull();
    await files.remove(workspaceId as WorkspaceId, [id]);
    expect(await read(id)).not.toBeNull();
  });
});
