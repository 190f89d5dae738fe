// @module-tag database
import { randomBytes, randomUUID } from 'node:crypto';
import { readdir } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { sql } from 'kysely';
import {
  afterAll,
  afterEach,
  beforeAll,
  beforeEach,
  describe,
  expect,
  it,
  onTestFinished,
  vi,
} from 'vitest';
import { createFileStore, type FileLocation } from '#src/files/file-store.ts';
import { sweepFiles } from '#src/files/sweep-files.ts';
import type { StoredFileId, UserId, WorkspaceId } from '#src/ids.ts';
import { RetryLater } from '#src/platform/errors.ts';
import {
  type FilePlaces,
  breaksOff,
  chunksOf,
  MAX_BYTES,
  NOTHING,
  openFilePlaces,
} from '#test/support/file-places.ts';
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

describe.each<FileLocation>(['database', 'disk', 's3'])('a file in the %s', (location) => {
  it.each([0, 1, 1024 * 1024, 2_500_000])('of %i bytes is read back unchanged', async (size) => {
    const bytes = randomBytes(size);
    const saved = await at.storeAt(location).save(at.newFile(), chunksOf(bytes));
    expect(saved).toMatchObject({ name: 'a.txt', byteCount: size });
    const found = await at.storeAt(location).read(stage.workspaceId, saved.id);
    expect(found?.bytes.equals(bytes)).toBe(true);
  });

  it('leaves nothing when its stream breaks off or is too large', async () => {
    await expect(at.storeAt(location).save(at.newFile(), breaksOff())).rejects.toThrow('gone away');
    const large = chunksOf(randomBytes(MAX_BYTES + 1));
    await expect(at.storeAt(location).save(at.newFile(), large)).rejects.toThrow(
      /larger than 3000000/,
    );
    expect(await at.kept()).toEqual(NOTHING);
  });

  it('is invisible until it is complete', async () => {
    let seen: unknown = 'not asked';
    async function* asking(): AsyncGenerator<Buffer> {
      yield Buffer.from('first');
      const { rows } = await sql<{ id: StoredFileId }>`select id from stored_file`.execute(
        stage.services.db,
      );
      const [row] = rows;
      if (!row) throw new Error('The row is inserted before the bytes.');
      seen = await at.storeAt(location).find(stage.workspaceId, row.id);
      yield Buffer.from('second');
    }
    await at.storeAt(location).save(at.newFile(), asking());
    expect(seen).toBeNull();
  });

  it('stays readable when new files go elsewhere, and is removed from where it is', async () => {
    const saved = await at.storeAt(location).save(at.newFile(), chunksOf(Buffer.from('old')));
    const elsewhere = at.storeAt(location === 'database' ? 's3' : 'database');
    const found = await elsewhere.read(stage.workspaceId, saved.id);
    expect(found?.bytes.toString()).toBe('old');
    await elsewhere.remove(stage.workspaceId, [saved.id]);
    expect(await at.kept()).toEqual(NOTHING);
  });

  it('can neither be read nor removed by another workspace', async () => {
    const saved = await at.storeAt(location).save(at.newFile(), chunksOf(Buffer.from('mine')));
    const other = randomUUID() as WorkspaceId;
    expect(await at.storeAt(location).find(other, saved.id)).toBeNull();
    expect(await at.storeAt(location).read(other, saved.id)).toBeNull();
    await at.storeAt(location).remove(other, [saved.id]);
    expect((await at.storeAt(location).read(stage.workspaceId, saved.id))?.bytes.toString()).toBe(
      'mine',
    );
  });

  it('is found by its id whatever its name', async () => {
    for (const name of [
      '../../../etc/passwd',
      '/dev/null',
      'a\\..\\b',
      'x'.repeat(400),
      '.',
      'a?b#c%2e',
    ]) {
      const saved = await at.storeAt(location).save(at.newFile(name), chunksOf(Buffer.from(name)));
      const found = await at.storeAt(location).read(stage.workspaceId, saved.id);
      expect([found?.file.name, found?.bytes.toString()]).toEqual([name, name]);
    }
    const { disk, s3: keys } = await at.kept();
    expect(
      [...disk, ...keys].filter(
        (name) => !/^[0-9a-f/-]+$/.test(name.replace('millrace-files', '')),
      ),
    ).toEqual([]);
  });

  it('whose process died between row and bytes is swept away', async () => {
    const id = randomUUID();
    await sql`insert into stored_file (id, workspace_id, name, media_type, byte_count, location, created_at)
      values (${id}, ${stage.workspaceId}, 'a', 'text/plain', -1, ${location}, now() - interval '2 days')`.execute(
      stage.services.db,
    );
    // All bytes were written, but the row was not completed.
    const address = { workspaceId: stage.workspaceId, id: id as StoredFileId };
    await at.places[location].write(address, chunksOf(Buffer.from('lost')));
    expect(await at.storeAt(location).find(stage.workspaceId, address.id)).toBeNull();
    await sweepFiles(stage.services.db, at.places, never);
    expect(await at.kept()).toEqual(NOTHING);
  });
});

describe('the bucket', () => {
  it.each([500, 503, 429, 'cut'] as const)(
    'that fails with %s counts as unavailable, and nothing is left',
    async (fault) => {
      at.s3.fault = (method) => (method === 'PUT' ? fault : null);
      const failure = at.storeAt('s3').save(at.newFile(), chunksOf(randomBytes(500_000)));
      await expect(failure).rejects.toThrow(RetryLater);
      expect(await at.kept()).toEqual(NOTHING);
    },
  );

  it('that breaks off a read counts as unavailable, and has the file afterwards', async () => {
    const bytes = randomBytes(300_000);
    const { id } = await at.storeAt('s3').save(at.newFile(), chunksOf(bytes));
    at.s3.fault = () => 'cut';
    await expect(at.storeAt('s3').read(stage.workspaceId, id)).rejects.toThrow(RetryLater);
    at.s3.fault = () => null;
    const found = await at.storeAt('s3').read(stage.workspaceId, id);
    expect(found?.bytes.equals(bytes)).toBe(true);
  });

  it('that refuses reports it to the operator without the keys', async () => {
    at.s3.fault = () => 403;
    const failure = at.storeAt('s3').save(at.newFile(), chunksOf(Buffer.from('x')));
    await expect(failure).rejects.toThrow(
      'refused a PUT in the bucket files (S3_BUCKET): 403 Fault403',
    );
    expect((await at.kept()).rows).toBe(0);
  });

  it('that is unavailable when a file is removed leaves its bytes to the sweep', async () => {
    const { id } = await at.storeAt('s3').save(at.newFile(), chunksOf(Buffer.from('x')));
    at.s3.fault = () => 503;
    await at.storeAt('s3').remove(stage.workspaceId, [id]);
    expect(await at.storeAt('s3').find(stage.workspaceId, id)).toBeNull();
    at.s3.fault = () => null;
    await sweepFiles(stage.services.db, at.places, never);
    expect(await at.kept()).toEqual(NOTHING);
  });

  it('leaves no copy on the local disk', async () => {
    vi.stubEnv('TMPDIR', at.folder);
    onTestFinished(() => void vi.unstubAllEnvs());
    expect(tmpdir()).toBe(at.folder);
    await at.storeAt('s3').save(at.newFile(), chunksOf(randomBytes(10_000)));
    await expect(at.storeAt('s3').save(at.newFile(), breaksOff())).rejects.toThrow();
    expect(await readdir(at.folder)).toEqual([]);
  });
});

it('reading a file in a location that this server cannot reach gives a clear error', async () => {
  const { id } = await at.storeAt('s3').save(at.newFile(), chunksOf(Buffer.from('x')));
  const store = createFileStore(stage.services.db, {
    places: { ...at.places, s3: null },
    location: 'database',
    maxBytes: MAX_BYTES,
  });
  await expect(store.read(stage.workspaceId, id)).rejects.toMatchObject({
    code: 'SERVICE_UNAVAILABLE',
  });
});

it('a file keeps its creator', async () => {
  const { rows } = await sql<{ id: UserId }>`select id from user_account limit 1`.execute(
    stage.services.db,
  );
  const createdBy = rows[0]?.id ?? null;
  const saved = await at
    .storeAt('disk')
    .save({ ...at.newFile(), createdBy }, chunksOf(Buffer.from('x')));
  expect(saved.createdBy).toBe(createdBy);
  expect(createdBy).not.toBeNull();
});
