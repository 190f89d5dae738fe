import { sql } from 'kysely';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { claimUserFile, maxOfWorkspace } from '#src/chat/user-files/claim-user-file.ts';
import { processUserFile } from '#src/chat/user-files/process-user-file.ts';
import { reconcileUserFiles } from '#src/chat/user-files/reconcile-user-files.ts';
import type { StoredFileId, UserFileId } from '#src/ids.ts';
import { RetryLater } from '#src/platform/errors.ts';
import type { Services } from '#src/services.ts';
import { buildPng } from '#test/support/build-images.ts';
import { openWorkspace, type TestUser } from '#test/support/test-users.ts';
import { startTestMillrace, type TestMillrace } from '#test/support/test-millrace.ts';
import { until } from '#test/support/until.ts';
import { type FilePart, sendFiles } from '#test/support/upload-files.ts';

const never = new AbortController().signal;

let millrace: TestMillrace;
let ana: TestUser;

beforeAll(async () => {
  millrace = await startTestMillrace({ LOG_LEVEL: 'silent' });
  ana = await openWorkspace(millrace);
});
afterAll(() => millrace[Symbol.asyncDispose]());

/** Stores a file of Ana's as a tool would, with the media type that the tool claims. */
async function store(name: string, mediaType: string, content: string | Buffer): Promise<string> {
  const { id } = await millrace.services.files.save(
    { workspaceId: ana.workspaceId, createdBy: ana.userId, name, mediaType },
    (async function* () {
      yield Buffer.from(content);
    })(),
  );
  return id;
}

const get = (id: string, headers: Record<string, string> = {}, method = 'GET') =>
  millrace.call(method, `/chat/file/${id}`, undefined, { key: ana.key, headers });

describe('GET /chat/file/{file_id}', () => {
  it('serves the bytes, cacheable forever by the requester', async () => {
    const png = buildPng(9, 9);
    const id = await store('dot.png', 'image/png', png);
    const response = await fetch(`${millrace.url}/chat/file/${id}`, {
      headers: { Authorization: `Bearer ${ana.key}` },
    });
    expect(Buffer.from(await response.arrayBuffer()).equals(png)).toBe(true);
    expect(Object.fromEntries(response.headers)).toMatchObject({
      'content-type': 'image/png',
      'content-length': String(png.length),
      'x-content-type-options': 'nosniff',
      'cache-control': 'private, max-age=31536000, immutable',
      'content-security-policy': "default-src 'none'; sandbox",
      etag: `"${id}"`,
    });
    expect(response.headers.get('content-disposition')).toMatch(/^inline; filename="dot\.png"/);
  });

  it('answers 304 for a current copy, and 404 to users without access', async () => {
    const id = await store('a.txt', 'text/plain', 'A');
    for (const tag of [`"${id}"`, `W/"${id}"`, `"other", "${id}"`, '*']) {
      const answer = await get(id, { 'If-None-Match': tag });
      expect([answer.status, answer.text]).toEqual([304, '']);
      expect(answer.headers.get('etag')).toBe(`"${id}"`);
    }
    expect((await get(id, { 'If-None-Match': '"other"' })).status).toBe(200);
    const eve = await openWorkspace(millrace);
    const { status } = await millrace.call('GET', `/chat/file/${id}`, undefined, {
      key: eve.key,
      headers: { 'If-None-Match': '*' },
    });
    expect(status).toBe(404);
  });

  it('answers HEAD without a body', async () => {
    const id = await store('a.txt', 'text/plain', 'Twelve bytes');
    const answer = await get(id, {}, 'HEAD');
    expect([answer.status, answer.text, answer.headers.get('content-length')]).toEqual([
      200,
      '',
      '12',
    ]);
  });

  it.each([
    ['text/html', 'text/plain; charset=utf-8', 'inline'],
    ['TEXT/HTML; charset=utf-7', 'text/plain; charset=utf-8', 'inline'],
    ['application/xhtml+xml', 'text/plain; charset=utf-8', 'inline'],
    ['image/svg+xml', 'text/plain; charset=utf-8', 'inline'],
    ['application/xml', 'text/plain; charset=utf-8', 'inline'],
    ['text/javascript', 'text/plain; charset=utf-8', 'inline'],
    ['text/csv', 'text/csv; charset=utf-8', 'inline'],
    ['text/markdown', 'text/markdown; charset=utf-8', 'inline'],
    ['application/rss+xml', 'text/plain; charset=utf-8', 'inline'],
    ['application/x-shockwave-flash', 'application/x-shockwave-flash', 'attachment'],
    ['message/rfc822', 'message/rfc822', 'attachment'],
    ['multipart/x-mixed-replace', 'multipart/x-mixed-replace', 'attachment'],
    ['not a type\r\nX-Evil: 1', 'application/octet-stream', 'attachment'],
    ['', 'application/octet-stream', 'attachment'],
  ])(
    'serves content of type %j so that it cannot run in a browser',
    async (mediaType, shown, disposition) => {
      const id = await store('x.html', mediaType, '<script>alert(1)</script>');
      const { headers } = await get(id);
      expect(headers.get('content-type')).toBe(shown);
      expect(headers.get('content-disposition')).toMatch(new RegExp(`^${disposition};`));
      expect(headers.get('x-evil')).toBeNull();
    },
  );

  it('serves a file of any name without breaking the header', async () => {
    const id = await store('a"b\\c;\u00e9\u{1f600}\'(%41).txt', 'text/plain', 'A');
    expect((await get(id)).headers.get('content-disposition')).toBe(
      `inline; filename="a_b_c;___'(_41).txt"; filename*=UTF-8''a%22b%5Cc%3B%C3%A9%F0%9F%98%80%27%28%2541%29.txt`,
    );
  });
});

describe('processing an upload', () => {
  /** Uploads a file and resets it to the state before any worker has read it. */
  async function unread(
    content: string,
    { key }: TestUser = ana,
  ): Promise<{ id: UserFileId; fileId: StoredFileId }> {
    const { body } = await sendFiles(millrace, '/user/projects/file/upload', [['a.txt', content]], {
      key,
    });
    const [{ id, file_id: fileId }] = body.user_files;
    await until(async () => (await row(id))?.status === 'COMPLETED');
    await sql`update user_file set status = 'PROCESSING', text = null, chunk_count = null, attempts = 0,
      queued_at = now() + interval '1 hour' where id = ${id}`.execute(millrace.services.db);
    await sql`delete from user_file_chunk where user_file_id = ${id}`.execute(millrace.services.db);
    return { id, fileId };
  }

  async function row(
    id: string,
  ): Promise<{ status: string; error: string | null; attempts: number; chunks: number } | null> {
    const { rows } = await sql<{
      status: string;
      error: string | null;
      attempts: number;
      chunks: number;
    }>`
      select status, error, attempts,
        (select count(*)::int from user_file_chunk c where c.user_file_id = f.id) as chunks
      from user_file f where id = ${id}`.execute(millrace.services.db);
    return rows[0] ?? null;
  }

  /** The services, with `read` in place of the real file reader. */
  const reading = (read: Services['files']['read']): Services => ({
    ...millrace.services,
    files: { ...millrace.services.files, read },
  });

  it('twice changes nothing the second time', async () => {
    const { id } = await unread('Some text.');
    expect(await processUserFile(millrace.services, id, never)).toMatchObject({ chunks: 1 });
    expect(await processUserFile(millrace.services, id, never)).toMatchObject({ chunks: 0 });
    expect(await row(id)).toEqual({ status: 'COMPLETED', error: null, attempts: 1, chunks: 1 });
  });

  it('with two workers at once is done by one', async () => {
    const { id } = await unread('Some text.');
    const both = await Promise.all([1, 2].map(() => processUserFile(millrace.services, id, never)));
    expect(both).toContainEqual({ chunks: 0, end: 'nothing to do' });
    expect(both).toContainEqual({ chunks: 1, end: 'completed' });
  });

  it('that was deleted meanwhile stores nothing', async () => {
    const { id, fileId } = await unread('Some text.');
    const services = reading(async (...address) => {
      const found = await millrace.services.files.read(...address);
      expect((await ana.call('DELETE', `/user/projects/file/${id}`)).status).toBe(200);
      return found;
    });
    await processUserFile(services, id, never).catch(() => undefined);
    expect(await row(id)).toBeNull();
    expect(await millrace.services.files.find(ana.workspaceId, fileId)).toBeNull();
  });

  it('waits without losing an attempt while the file store is unavailable', async () => {
    const { id } = await unread('Some text.');
    const away = reading(() =>
      Promise.reject(new RetryLater(1_000, 'The file store is unavailable.')),
    );
    await expect(processUserFile(away, id, never)).rejects.toThrow(RetryLater);
    expect(await row(id)).toMatchObject({ status: 'PROCESSING', attempts: 0 });
    await processUserFile(millrace.services, id, never);
    expect(await row(id)).toMatchObject({ status: 'COMPLETED' });
  });

  it('fails when the stored bytes are missing', async () => {
    const { id } = await unread('Some text.');
    await processUserFile(
      reading(() => Promise.resolve(null)),
      id,
      never,
    );
    expect(await row(id)).toMatchObject({
      status: 'FAILED',
      error: 'The content of a.txt is gone. Upload it again.',
    });
  });

  it('is given up when every worker dies', async () => {
    const { id } = await unread('Some text.');
    for (let death = 0; death < 5; death += 1) {
      expect(await claimUserFile(millrace.services.db, id, 1)).not.toBeNull();
      expect(await claimUserFile(millrace.services.db, id, 1)).toBeNull();
      await sql`update user_file set claimed_until = now() - interval '1 second' where id = ${id}`.execute(
        millrace.services.db,
      );
    }
    await processUserFile(millrace.services, id, never);
    expect(await row(id)).toMatchObject({
      status: 'FAILED',
      error: expect.stringContaining('5 attempts'),
    });
  });

  it('continues after its job was lost', async () => {
    const { id } = await unread('Some text.');
    await sql`update user_file set queued_at = now() - interval '10 minutes' where id = ${id}`.execute(
      millrace.services.db,
    );
    await reconcileUserFiles(millrace.services);
    await until(async () => (await row(id))?.status === 'COMPLETED');
  });

  it('leaves a place for other workspaces, and goes on with its own when one is done', async () => {
    const { db, config } = millrace.services;
    const atOnce = maxOfWorkspace(config);
    expect(atOnce).toBe(config.USER_FILE_CONCURRENCY - 1);
    const busy = await openWorkspace(millrace);
    const files: FilePart[] = Array.from({ length: atOnce + 1 }, (_, n) => [
      `${n}.txt`,
      `Text ${n}.`,
    ]);
    const { body } = await sendFiles(millrace, '/user/projects/file/upload', files, {
      key: busy.key,
    });
    const ids: UserFileId[] = body.user_files.map(({ id }: { id: UserFileId }) => id);
    for (const id of ids) await until(async () => (await row(id))?.status === 'COMPLETED');
    const waiting = ids.at(-1);
    const [first] = ids;
    if (!first || !waiting) throw new Error('Nothing was uploaded.');
    // As many as may be read at once are being read, by workers that are not there; the last one waits.
    await sql`delete from user_file_chunk where user_file_id = any(${ids}::uuid[])`.execute(db);
    await sql`update user_file set status = 'PROCESSING', text = null, chunk_count = null,
        attempts = 1, queued_at = now() + interval '1 hour',
        claimed_until = case when id <> ${waiting} then now() + interval '1 hour' end
      where id = any(${ids}::uuid[])`.execute(db);
    expect(await processUserFile(millrace.services, waiting, never)).toMatchObject({
      end: 'nothing to do',
    });
    const other = await unread('Of another workspace.', await openWorkspace(millrace));
    expect(await processUserFile(millrace.services, other.id, never)).toMatchObject({
      end: 'completed',
    });
    await sql`update user_file set claimed_until = now() - interval '1 second'
      where id = ${first}`.execute(db);
    await processUserFile(millrace.services, first, never);
    await until(async () => (await row(waiting))?.status === 'COMPLETED');
  });
});
