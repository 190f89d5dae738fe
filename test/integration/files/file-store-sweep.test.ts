// @module-tag database
// @module-tag queues
import { randomBytes, randomUUID } from 'node:crypto';
import { mkdir, open, readFile, stat, writeFile } from 'node:fs/promises';
import path from 'node:path';
import { sql } from 'kysely';
import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, it } from 'vitest';
import { createDiskBytes } from '#src/files/disk-bytes.ts';
import { sweepFiles } from '#src/files/sweep-files.ts';
import type { StoredFileId } from '#src/ids.ts';
import { type FilePlaces, chunksOf, NOTHING, openFilePlaces } from '#test/support/file-places.ts';
import { openTestServices, type TestServices } from '#test/support/test-services.ts';

const never = new AbortController().signal;

let stage: TestServices;
let at: FilePlaces;

beforeAll(async () => {
  stage = await openTestServices();
});
afterAll(() => stage[Symbol.asyncDispose]());
beforeEach(async () => {
  at = await openFilePlaces(stage);
});
afterEach(() => at[Symbol.asyncDispose]());

describe('the sweep', () => {
  it('removes bytes whose row was deleted, and leaves all others', async () => {
    const saved = [];
    for (const location of ['disk', 's3', 'database'] as const) {
      for (let index = 0; index < 5; index += 1) {
        const file = await at.storeAt(location).save(at.newFile(), chunksOf(Buffer.from(location)));
        saved.push({ ...file, location });
      }
    }
    await sql`update stored_file set created_by = (select id from user_account limit 1)`.execute(
      stage.services.db,
    );
    const gone = saved.filter((_, index) => index % 5 < 2);
    await sql`delete from stored_file where id = any(${gone.map(({ id }) => id)}::uuid[])`.execute(
      stage.services.db,
    );
    const swept = await sweepFiles(stage.services.db, at.places, never);
    expect(swept).toEqual({ rows: 0, bytes: 4 });
    for (const file of saved.filter((one) => !gone.includes(one))) {
      const found = await at.storeAt('database').read(stage.workspaceId, file.id);
      expect(found?.bytes.toString()).toBe(file.location);
    }
    expect(await at.kept()).toMatchObject({ rows: 9, parts: 3 });
  });

  it('leaves an upload in progress alone', async () => {
    async function* slow(): AsyncGenerator<Buffer> {
      yield Buffer.from('be');
      await sweepFiles(stage.services.db, at.places, never);
      yield Buffer.from('gun');
    }
    const saved = await at.storeAt('disk').save(at.newFile(), slow());
    const found = await at.storeAt('disk').read(stage.workspaceId, saved.id);
    expect(found?.bytes.toString()).toBe('begun');
  });

  it('does not touch objects in the bucket that belong to others', async () => {
    const foreign = [
      'readme.txt',
      `millrace-files/${randomUUID()}/${randomUUID()}`,
      `millrace-files/${stage.workspaceId}/notes.txt`,
    ];
    for (const key of foreign) at.s3.objects.set(key, Buffer.from('foreign'));
    at.s3.objects.set(`millrace-files/${stage.workspaceId}/${randomUUID()}`, Buffer.from('orphan'));
    expect(await sweepFiles(stage.services.db, at.places, never)).toEqual({ rows: 0, bytes: 1 });
    expect([...at.s3.objects.keys()]).toEqual(foreign);
  });

  it('does not touch files on the disk that others put there', async () => {
    await mkdir(path.join(at.folder, stage.workspaceId), { recursive: true });
    await writeFile(path.join(at.folder, stage.workspaceId, 'notes.txt'), 'kept');
    await writeFile(path.join(at.folder, 'lost+found'), 'kept');
    await writeFile(path.join(at.folder, stage.workspaceId, `${randomUUID()}.part`), 'left behind');
    expect(await sweepFiles(stage.services.db, at.places, never)).toEqual({ rows: 0, bytes: 1 });
    expect((await at.kept()).disk.toSorted()).toEqual(['lost+found', 'notes.txt']);
  });

  it('removes files that belong to nobody, unless a connector reads them', async () => {
    const store = at.storeAt('disk');
    const ids: StoredFileId[] = [];
    for (const metadata of [{ user_file_id: randomUUID() }, {}, {}]) {
      ids.push((await store.save({ ...at.newFile(), metadata }, chunksOf(Buffer.from('x')))).id);
    }
    const [, , read = ''] = ids;
    await sql`insert into connector (workspace_id, name, source, kind, input_type, access_type, settings)
      values (${stage.workspaceId}, 'files', 'file', 'file', 'load_state', 'public',
        ${JSON.stringify({ file_locations: [read] })})`.execute(stage.services.db);
    expect(await sweepFiles(stage.services.db, at.places, never)).toEqual({ rows: 0, bytes: 0 });
    await sql`update stored_file set created_at = now() - interval '2 days'`.execute(
      stage.services.db,
    );
    expect(await sweepFiles(stage.services.db, at.places, never)).toEqual({ rows: 2, bytes: 2 });
    expect((await at.kept()).disk).toEqual([read]);
  });
});

describe('the disk', () => {
  it('refuses a file with a clear message when it is full, and keeps nothing of it', async () => {
    at.places.disk = createDiskBytes({
      folder: at.folder,
      open: async (file, flags) => {
        // The file can be created, but its content goes to a device that is always full.
        await writeFile(String(file), '');
        return open('/dev/full', flags);
      },
    });
    const failure = at.storeAt('disk').save(at.newFile(), chunksOf(randomBytes(200_000)));
    await expect(failure).rejects.toMatchObject({
      code: 'SERVICE_UNAVAILABLE',
      message: expect.stringContaining('its disk is full'),
    });
    expect(await at.kept()).toEqual(NOTHING);
  });

  it('makes its files readable only to their owner', async () => {
    const { id } = await at.storeAt('disk').save(at.newFile(), chunksOf(Buffer.from('private')));
    const file = path.join(at.folder, stage.workspaceId, id);
    expect((await stat(file)).mode & 0o777).toBe(0o600);
    expect((await stat(path.dirname(file))).mode & 0o777).toBe(0o700);
    expect(await readFile(file, 'utf8')).toBe('private');
  });

  it('never leaves its folder, whatever is requested', async () => {
    const address = {
      workspaceId: stage.workspaceId,
      id: '../../../etc/passwd' as StoredFileId,
    };
    await expect(at.places.disk.read(address, 1)).rejects.toThrow();
    await expect(at.places.disk.write(address, chunksOf(Buffer.from('x')))).rejects.toThrow();
    await expect(at.places.disk.remove(address)).rejects.toThrow();
  });

  it('reports a truncated file as missing', async () => {
    const { id } = await at.storeAt('disk').save(at.newFile(), chunksOf(randomBytes(1_000)));
    await writeFile(path.join(at.folder, stage.workspaceId, id), 'short');
    expect(await at.storeAt('disk').read(stage.workspaceId, id)).toBeNull();
  });
});
