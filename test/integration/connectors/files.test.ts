import { randomUUID } from 'node:crypto';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import type { Answer } from '#test/support/api-client.ts';
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

const UPLOAD = '/manage/admin/connector/file/upload';

let millrace: TestMillrace;

beforeAll(async () => {
  millrace = await startTestMillrace({ LOG_LEVEL: 'silent' });
});
afterAll(() => millrace[Symbol.asyncDispose]());

const send = (path: string, parts: FilePart[], options: SendOptions = {}): Promise<Answer> =>
  sendFiles(millrace, path, parts, options);
const rows = (): ReturnType<typeof storedRows> => storedRows(millrace);
const read = (id: string): ReturnType<typeof readStored> => readStored(millrace, id);

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

  it('can be listed, added and removed', async () => {
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

  it('are kept while another connector uses them', async () => {
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

  it('stay unchanged when a change is refused', async () => {
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
    const archive = zipOf({
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
