import { randomBytes, randomUUID } from 'node:crypto';
import { open } from 'node:fs/promises';
import { mkdir, mkdtemp, readdir, readFile, rm, stat, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { sql } from 'kysely';
import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, it } from 'vitest';
import { createDatabaseBytes } from '#src/files/database-bytes.ts';
import { createDiskBytes } from '#src/files/disk-bytes.ts';
import type { FileBytes } from '#src/files/file-bytes.ts';
import { createFileStore, type FileLocation, type FileStore } from '#src/files/file-store.ts';
import { createS3Bytes } from '#src/files/s3-bytes.ts';
import { sweepFiles } from '#src/files/sweep-files.ts';
import type { StoredFileId, UserId, WorkspaceId } from '#src/ids.ts';
import { RetryLater } from '#src/platform/errors.ts';
import { createOperatorFetch } from '#src/platform/http.ts';
import { type FakeS3, startFakeS3 } from '#test/support/fake-s3.ts';
import { openTestServices, type TestServices } from '#test/support/test-services.ts';

const MAX_BYTES = 3_000_000;
const never = new AbortController().signal;

let stage: TestServices;
let s3: FakeS3;
let folder: string;
let places: Record<FileLocation, FileBytes>;

beforeAll(async () => {
  stage = await openTestServices();
});
afterAll(() => stage[Symbol.asyncDispose]());
beforeEach(async () => {
  s3 = await startFakeS3();
  folder = await mkdtemp(path.join(tmpdir(), 'millrace-files-'));
  places = {
    database: createDatabaseBytes(stage.services.db),
    disk: createDiskBytes({ folder }),
    s3: createS3Bytes(s3Settings()),
  };
});
afterEach(async () => {
  await sql`delete from stored_file`.execute(stage.services.db);
  await sql`delete from connector`.execute(stage.services.db);
  await s3[Symbol.asyncDispose]();
  await rm(folder, { recursive: true, force: true });
});

const s3Settings = () => ({
  endpoint: s3.settings['S3_ENDPOINT'] ?? '',
  bucket: 'files',
  region: 'eu-test-1',
  accessKeyId: 'AKIDTEST',
  secretAccessKey: s3.settings['S3_SECRET_ACCESS_KEY'] ?? '',
  fetch: createOperatorFetch(),
  clock: () => new Date(),
});
const storeAt = (location: FileLocation): FileStore =>
  createFileStore(stage.services.db, { places, location, maxBytes: MAX_BYTES });
const newFile = (name = 'a.txt') => ({
  workspaceId: stage.workspaceId,
  createdBy: null,
  name,
  mediaType: 'text/plain',
});

async function* chunksOf(bytes: Buffer, size = 70_001): AsyncGenerator<Buffer> {
  for (let at = 0; at < bytes.length; at += size) yield bytes.subarray(at, at + size);
}

async function* breaksOff(): AsyncGenerator<Buffer> {
  yield randomBytes(100_000);
  throw new Error('The client has gone away.');
}

/** Everything that is kept anywhere. */
async function kept(): Promise<{ rows: number; parts: number; disk: string[]; s3: string[] }> {
  const { rows } = await sql<{ rows: number; parts: number }>`
    select (select count(*)::int from stored_file) as rows,
      (select count(*)::int from stored_file_part) as parts`.execute(stage.services.db);
  const disk = await readdir(folder, { recursive: true, withFileTypes: true });
  return {
    rows: rows[0]?.rows ?? -1,
    parts: rows[0]?.parts ?? -1,
    disk: disk.filter((entry) => entry.isFile()).map(({ name }) => name),
    s3: [...s3.objects.keys()],
  };
}

const NOTHING = { rows: 0, parts: 0, disk: [], s3: [] };

describe.each<FileLocation>(['database', 'disk', 's3'])('a file in the %s', (location) => {
  it.each([0, 1, 1024 * 1024, 2_500_000])('of %i bytes comes back as it was', async (size) => {
    const bytes = randomBytes(size);
    const saved = await storeAt(location).save(newFile(), chunksOf(bytes));
    expect(saved).toMatchObject({ name: 'a.txt', byteCount: size });
    const found = await storeAt(location).read(stage.workspaceId, saved.id);
    expect(found?.bytes.equals(bytes)).toBe(true);
  });

  it('leaves nothing when its stream breaks off, or is too large', async () => {
    await expect(storeAt(location).save(newFile(), breaksOff())).rejects.toThrow('gone away');
    const large = chunksOf(randomBytes(MAX_BYTES + 1));
    await expect(storeAt(location).save(newFile(), large)).rejects.toThrow(/larger than 3000000/);
    expect(await kept()).toEqual(NOTHING);
  });

  it('is not seen before all of it is there', async () => {
    let seen: unknown = 'not asked';
    async function* asking(): AsyncGenerator<Buffer> {
      yield Buffer.from('first');
      const { rows } = await sql<{ id: StoredFileId }>`select id from stored_file`.execute(
        stage.services.db,
      );
      const [row] = rows;
      if (!row) throw new Error('The row comes before the bytes.');
      seen = await storeAt(location).find(stage.workspaceId, row.id);
      yield Buffer.from('second');
    }
    await storeAt(location).save(newFile(), asking());
    expect(seen).toBeNull();
  });

  it('stays readable when new files go elsewhere, and is removed from where it is', async () => {
    const saved = await storeAt(location).save(newFile(), chunksOf(Buffer.from('old')));
    const elsewhere = storeAt(location === 'database' ? 's3' : 'database');
    const found = await elsewhere.read(stage.workspaceId, saved.id);
    expect(found?.bytes.toString()).toBe('old');
    await elsewhere.remove(stage.workspaceId, [saved.id]);
    expect(await kept()).toEqual(NOTHING);
  });

  it('is neither read nor removed by another workspace', async () => {
    const saved = await storeAt(location).save(newFile(), chunksOf(Buffer.from('mine')));
    const other = randomUUID() as WorkspaceId;
    expect(await storeAt(location).find(other, saved.id)).toBeNull();
    expect(await storeAt(location).read(other, saved.id)).toBeNull();
    await storeAt(location).remove(other, [saved.id]);
    expect((await storeAt(location).read(stage.workspaceId, saved.id))?.bytes.toString()).toBe(
      'mine',
    );
  });

  it('is found by its id whatever it is called', async () => {
    for (const name of [
      '../../../etc/passwd',
      '/dev/null',
      'a\\..\\b',
      'x'.repeat(400),
      '.',
      'a?b#c%2e',
    ]) {
      const saved = await storeAt(location).save(newFile(name), chunksOf(Buffer.from(name)));
      const found = await storeAt(location).read(stage.workspaceId, saved.id);
      expect([found?.file.name, found?.bytes.toString()]).toEqual([name, name]);
    }
    const { disk, s3: keys } = await kept();
    expect(
      [...disk, ...keys].filter(
        (name) => !/^[0-9a-f/-]+$/.test(name.replace('millrace-files', '')),
      ),
    ).toEqual([]);
  });

  it('that lost its process between row and bytes, or bytes and row, is swept away', async () => {
    const id = randomUUID();
    await sql`insert into stored_file (id, workspace_id, name, media_type, byte_count, location, created_at)
      values (${id}, ${stage.workspaceId}, 'a', 'text/plain', -1, ${location}, now() - interval '2 days')`.execute(
      stage.services.db,
    );
    // Its bytes were all written, and the row was not finished.
    const address = { workspaceId: stage.workspaceId, id: id as StoredFileId };
    await places[location].write(address, chunksOf(Buffer.from('lost')));
    expect(await storeAt(location).find(stage.workspaceId, address.id)).toBeNull();
    await sweepFiles(stage.services.db, places, never);
    expect(await kept()).toEqual(NOTHING);
  });
});

describe('the sweep', () => {
  it('takes bytes whose row went with a deletion, and leaves all others', async () => {
    const saved = [];
    for (const location of ['disk', 's3', 'database'] as const) {
      for (let index = 0; index < 5; index += 1) {
        const file = await storeAt(location).save(newFile(), chunksOf(Buffer.from(location)));
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
    const swept = await sweepFiles(stage.services.db, places, never);
    expect(swept).toEqual({ rows: 0, bytes: 4 });
    for (const file of saved.filter((one) => !gone.includes(one))) {
      const found = await storeAt('database').read(stage.workspaceId, file.id);
      expect(found?.bytes.toString()).toBe(file.location);
    }
    expect(await kept()).toMatchObject({ rows: 9, parts: 3 });
  });

  it('leaves an upload alone that is under way', async () => {
    async function* slow(): AsyncGenerator<Buffer> {
      yield Buffer.from('be');
      await sweepFiles(stage.services.db, places, never);
      yield Buffer.from('gun');
    }
    const saved = await storeAt('disk').save(newFile(), slow());
    const found = await storeAt('disk').read(stage.workspaceId, saved.id);
    expect(found?.bytes.toString()).toBe('begun');
  });

  it('touches nothing in a bucket that is not this installation’s', async () => {
    const foreign = [
      'readme.txt',
      `millrace-files/${randomUUID()}/${randomUUID()}`,
      `millrace-files/${stage.workspaceId}/notes.txt`,
    ];
    for (const key of foreign) s3.objects.set(key, Buffer.from('foreign'));
    s3.objects.set(`millrace-files/${stage.workspaceId}/${randomUUID()}`, Buffer.from('orphan'));
    expect(await sweepFiles(stage.services.db, places, never)).toEqual({ rows: 0, bytes: 1 });
    expect([...s3.objects.keys()]).toEqual(foreign);
  });

  it('touches nothing on the disk that it did not put there', async () => {
    await mkdir(path.join(folder, stage.workspaceId), { recursive: true });
    await writeFile(path.join(folder, stage.workspaceId, 'notes.txt'), 'kept');
    await writeFile(path.join(folder, 'lost+found'), 'kept');
    await writeFile(path.join(folder, stage.workspaceId, `${randomUUID()}.part`), 'left behind');
    expect(await sweepFiles(stage.services.db, places, never)).toEqual({ rows: 0, bytes: 1 });
    expect((await kept()).disk.toSorted()).toEqual(['lost+found', 'notes.txt']);
  });

  it('takes what belongs to nobody, unless a connector reads it', async () => {
    const store = storeAt('disk');
    const ids: StoredFileId[] = [];
    for (const metadata of [{ user_file_id: randomUUID() }, {}, {}]) {
      ids.push((await store.save({ ...newFile(), metadata }, chunksOf(Buffer.from('x')))).id);
    }
    const [, , read = ''] = ids;
    await sql`insert into connector (workspace_id, name, source, kind, input_type, access_type, settings)
      values (${stage.workspaceId}, 'files', 'file', 'file', 'load_state', 'public',
        ${JSON.stringify({ file_locations: [read] })})`.execute(stage.services.db);
    expect(await sweepFiles(stage.services.db, places, never)).toEqual({ rows: 0, bytes: 0 });
    await sql`update stored_file set created_at = now() - interval '2 days'`.execute(
      stage.services.db,
    );
    expect(await sweepFiles(stage.services.db, places, never)).toEqual({ rows: 2, bytes: 2 });
    expect((await kept()).disk).toEqual([read]);
  });
});

describe('the disk', () => {
  it('that is full refuses the file in words, and keeps nothing of it', async () => {
    places.disk = createDiskBytes({
      folder,
      open: async (file, flags) => {
        // The name is taken; what is written goes to a device that is always full.
        await writeFile(String(file), '');
        return open('/dev/full', flags);
      },
    });
    const failure = storeAt('disk').save(newFile(), chunksOf(randomBytes(200_000)));
    await expect(failure).rejects.toMatchObject({
      code: 'SERVICE_UNAVAILABLE',
      message: expect.stringContaining('its disk is full'),
    });
    expect(await kept()).toEqual(NOTHING);
  });

  it('shows its files to their owner alone', async () => {
    const { id } = await storeAt('disk').save(newFile(), chunksOf(Buffer.from('private')));
    const file = path.join(folder, stage.workspaceId, id);
    expect((await stat(file)).mode & 0o777).toBe(0o600);
    expect((await stat(path.dirname(file))).mode & 0o777).toBe(0o700);
    expect(await readFile(file, 'utf8')).toBe('private');
  });

  it('never leaves its folder, whatever is asked for', async () => {
    const address = {
      workspaceId: stage.workspaceId,
      id: '../../../etc/passwd' as StoredFileId,
    };
    await expect(places.disk.read(address, 1)).rejects.toThrow();
    await expect(places.disk.write(address, chunksOf(Buffer.from('x')))).rejects.toThrow();
    await expect(places.disk.remove(address)).rejects.toThrow();
  });

  it('says of a file that was cut short that it is gone', async () => {
    const { id } = await storeAt('disk').save(newFile(), chunksOf(randomBytes(1_000)));
    await writeFile(path.join(folder, stage.workspaceId, id), 'short');
    expect(await storeAt('disk').read(stage.workspaceId, id)).toBeNull();
  });
});

describe('the bucket', () => {
  it.each([500, 503, 429, 'cut'] as const)(
    'that fails with %s is away, and nothing remains',
    async (fault) => {
      s3.fault = (method) => (method === 'PUT' ? fault : null);
      const failure = storeAt('s3').save(newFile(), chunksOf(randomBytes(500_000)));
      await expect(failure).rejects.toThrow(RetryLater);
      expect(await kept()).toEqual(NOTHING);
    },
  );

  it('that breaks off a read is away, and has the file afterwards', async () => {
    const bytes = randomBytes(300_000);
    const { id } = await storeAt('s3').save(newFile(), chunksOf(bytes));
    s3.fault = () => 'cut';
    await expect(storeAt('s3').read(stage.workspaceId, id)).rejects.toThrow(RetryLater);
    s3.fault = () => null;
    const found = await storeAt('s3').read(stage.workspaceId, id);
    expect(found?.bytes.equals(bytes)).toBe(true);
  });

  it('that refuses says so to the operator, without the keys', async () => {
    s3.fault = () => 403;
    const failure = storeAt('s3').save(newFile(), chunksOf(Buffer.from('x')));
    await expect(failure).rejects.toThrow(
      'refused a PUT in the bucket files (S3_BUCKET): 403 Fault403',
    );
    expect((await kept()).rows).toBe(0);
  });

  it('that is away when a file is removed gives its bytes back to the sweep', async () => {
    const { id } = await storeAt('s3').save(newFile(), chunksOf(Buffer.from('x')));
    s3.fault = () => 503;
    await storeAt('s3').remove(stage.workspaceId, [id]);
    expect(await storeAt('s3').find(stage.workspaceId, id)).toBeNull();
    s3.fault = () => null;
    await sweepFiles(stage.services.db, places, never);
    expect(await kept()).toEqual(NOTHING);
  });

  it('leaves no copy on the disk of this machine', async () => {
    const before = (await readdir(tmpdir())).filter((name) => name.startsWith('millrace-upload-'));
    await storeAt('s3').save(newFile(), chunksOf(randomBytes(10_000)));
    await expect(storeAt('s3').save(newFile(), breaksOff())).rejects.toThrow();
    const after = (await readdir(tmpdir())).filter((name) => name.startsWith('millrace-upload-'));
    expect(after).toEqual(before);
  });
});

it('says in words that a file lies where this server cannot look', async () => {
  const { id } = await storeAt('s3').save(newFile(), chunksOf(Buffer.from('x')));
  const store = createFileStore(stage.services.db, {
    places: { ...places, s3: null },
    location: 'database',
    maxBytes: MAX_BYTES,
  });
  await expect(store.read(stage.workspaceId, id)).rejects.toMatchObject({
    code: 'SERVICE_UNAVAILABLE',
  });
});

it('keeps the maker of a file', async () => {
  const { rows } = await sql<{ id: UserId }>`select id from user_account limit 1`.execute(
    stage.services.db,
  );
  const createdBy = rows[0]?.id ?? null;
  const saved = await storeAt('disk').save({ ...newFile(), createdBy }, chunksOf(Buffer.from('x')));
  expect(saved.createdBy).toBe(createdBy);
  expect(createdBy).not.toBeNull();
});
