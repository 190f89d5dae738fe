import { request } from 'node:http';
import { brotliDecompressSync, gunzipSync } from 'node:zlib';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { BOOTSTRAP_KEY, openTestApi, type TestApi } from './harness.ts';

let api: TestApi;
beforeAll(async () => {
  api = await openTestApi([]);
});
afterAll(() => api[Symbol.asyncDispose]());

interface Answer {
  status: number;
  headers: Record<string, string | undefined>;
  bytes: Buffer;
}

/** Used instead of `fetch`, which would choose encodings and decode the body itself. */
function get(path: string, headers: Record<string, string> = {}, method = 'GET'): Promise<Answer> {
  const { promise, resolve, reject } = Promise.withResolvers<Answer>();
  const sent = request(api.url + path, { method, headers }, (response) => {
    const chunks: Buffer[] = [];
    response.on('data', (chunk: Buffer) => void chunks.push(chunk));
    response.on('error', reject);
    response.on('end', () => {
      const fields = Object.entries(response.headersDistinct);
      resolve({
        status: response.statusCode ?? 0,
        headers: Object.fromEntries(fields.map(([name, values]) => [name, values?.join(', ')])),
        bytes: Buffer.concat(chunks),
      });
    });
  });
  sent.on('error', reject);
  sent.end();
  return promise;
}

const accept = (coding: string) => ({ 'Accept-Encoding': coding });
const asAdmin = { Authorization: `Bearer ${BOOTSTRAP_KEY}` };
const DECODE = { br: brotliDecompressSync, gzip: gunzipSync };

describe('the encoding of static content', () => {
  it.each([
    ['gzip, deflate, br, zstd', 'br'],
    ['gzip, deflate', 'gzip'],
    ['br;q=0.5, gzip;q=0.8', 'gzip'],
    ['GZIP', 'gzip'],
    ['gzip;q=0, *;q=0.1', 'br'],
    ['*', 'br'],
    ['identity;q=0, gzip', 'gzip'],
    ['gzip;q=0.5, identity', undefined],
    ['br;q=0', undefined],
    ['zstd', undefined],
    ['', undefined],
  ])('for Accept-Encoding: %s is %s', async (header, coding) => {
    const { status, headers, bytes } = await get('/openapi.json', accept(header));
    expect([status, headers['content-encoding']]).toEqual([200, coding]);
    expect(headers['vary']).toBe('Accept-Encoding');
    expect(headers['content-length']).toBe(String(bytes.length));
    const plain = await get('/openapi.json');
    expect(plain.headers['content-encoding']).toBeUndefined();
    expect(plain.headers['vary']).toBe('Accept-Encoding');
    const decoded = coding === 'br' || coding === 'gzip' ? DECODE[coding](bytes) : bytes;
    expect(decoded.equals(plain.bytes)).toBe(true);
  });

  it('is refused with an error naming the header when the client accepts none', async () => {
    const { status, headers, bytes } = await get('/docs', accept('identity;q=0'));
    expect([status, headers['vary']]).toEqual([406, 'Accept-Encoding']);
    expect(JSON.parse(bytes.toString())).toMatchObject({
      error_code: 'NOT_ACCEPTABLE',
      detail: expect.stringContaining('Accept-Encoding') as unknown,
    });
  });

  it('is identity for small or already compressed files, unless the client refuses that', async () => {
    for (const path of ['/docs', '/docs/assets/favicon-32x32.png']) {
      const { headers } = await get(path, accept('gzip, br'));
      expect([path, headers['content-encoding']]).toEqual([path, undefined]);
      const refused = await get(path, accept('gzip, identity;q=0'));
      expect([path, refused.headers['content-encoding']]).toEqual([path, 'gzip']);
    }
  });

  it('makes the reference page at least three times smaller', async () => {
    const files = ['description.js', 'swagger-ui-bundle.js', 'swagger-ui.css'];
    for (const path of ['/openapi.json', ...files.map((file) => `/docs/assets/${file}`)]) {
      const plain = await get(path);
      for (const coding of ['br', 'gzip']) {
        const coded = await get(path, accept(coding));
        expect(coded.bytes.length).toBeLessThan(plain.bytes.length / 3);
      }
    }
  });
});

describe('a cached copy of static content', () => {
  it('has a strong ETag per encoding', async () => {
    const answers = await Promise.all(
      ['br', 'gzip', 'identity'].map((coding) => get('/openapi.json', accept(coding))),
    );
    const tags = answers.map(({ headers }) => headers['etag']);
    expect(new Set(tags).size).toBe(3);
    for (const tag of tags) expect(tag).toMatch(/^"[\w-]+"$/);
  });

  it('is confirmed by a 304 with the headers caches need, without a body', async () => {
    for (const path of ['/openapi.json', '/docs', '/api/openapi.json']) {
      const { headers } = await get(path, accept('br'));
      const tag = headers['etag'] ?? '';
      for (const sent of [tag, `W/${tag}`, `"other", ${tag}`, `"other",W/${tag} , "third"`, '*']) {
        for (const method of ['GET', 'HEAD']) {
          const answer = await get(path, { ...accept('br'), 'If-None-Match': sent }, method);
          expect([path, sent, answer.status, answer.bytes.length]).toEqual([path, sent, 304, 0]);
          expect(answer.headers).toMatchObject({
            etag: tag,
            vary: 'Accept-Encoding',
            'cache-control': 'no-cache',
            date: expect.any(String) as unknown,
          });
          expect(answer.headers).not.toHaveProperty('content-encoding');
          expect(answer.headers).not.toHaveProperty('content-type');
        }
      }
    }
  });

  it('is replaced when its encoding differs or the client asks for a full response', async () => {
    const { headers } = await get('/openapi.json', accept('gzip'));
    const tag = headers['etag'] ?? '';
    const asked = [
      { ...accept('br'), 'If-None-Match': tag },
      { ...accept('gzip'), 'If-None-Match': '"other"' },
      { ...accept('gzip'), 'If-None-Match': tag, 'Cache-Control': 'no-cache' },
    ];
    for (const sent of asked) expect((await get('/openapi.json', sent)).status).toBe(200);
  });

  it('gets the headers of GET from HEAD, without the body', async () => {
    const whole = await get('/openapi.json', accept('br'));
    const head = await get('/openapi.json', accept('br'), 'HEAD');
    for (const name of ['etag', 'content-length', 'content-encoding', 'content-type', 'vary']) {
      expect([name, head.headers[name]]).toEqual([name, whole.headers[name]]);
    }
    expect(head.bytes.length).toBe(0);
  });
});

describe('caching of static content', () => {
  it('is permanent for versioned addresses of the reference page', async () => {
    const page = (await get('/docs')).bytes.toString();
    const addresses = [...page.matchAll(/(?:src|href)="([^"]+)"/g)].map(([, address]) => address);
    expect(addresses).toHaveLength(5);
    for (const address of addresses) {
      const { status, headers } = await get(`/${address}`);
      expect([status, headers['cache-control']]).toEqual([200, 'max-age=31536000, immutable']);
      for (const other of ['?v=older', '']) {
        const unversioned = await get(`/${address?.replace(/\?.*/, other)}`);
        expect(unversioned.headers['cache-control']).toBe('no-cache');
      }
    }
  });

  it('requires revalidation of the description and the page', async () => {
    for (const path of ['/openapi.json', '/docs', '/docs/', '/api/docs']) {
      expect((await get(path)).headers['cache-control']).toBe('no-cache');
    }
  });
});

describe('files of the queue dashboard', () => {
  const page = async () => (await get('/admin/queues', asAdmin)).bytes.toString();

  it('are compressed, tagged, and cached only by the browser of an authorized user', async () => {
    const scripts = [...(await page()).matchAll(/static\/js\/main\.\w+\.js/g)].map(String);
    expect(scripts.length).toBeGreaterThan(0);
    const path = `/admin/queues/${scripts[0]}`;
    const { status, headers } = await get(path, { ...asAdmin, ...accept('br') });
    expect(status).toBe(200);
    expect(headers).toMatchObject({
      'content-encoding': 'br',
      'content-type': 'text/javascript; charset=utf-8',
      'cache-control': 'private, max-age=31536000, immutable',
      vary: 'Accept-Encoding',
    });
    const sent = { ...accept('br'), 'If-None-Match': headers['etag'] ?? '' };
    expect((await get(path, { ...asAdmin, ...sent })).status).toBe(304);
    const refused = await get(path, sent);
    expect([refused.status, refused.headers['cache-control']]).toEqual([401, 'no-store']);
  });

  it('are revalidated each time when their names do not change', async () => {
    const { headers } = await get('/admin/queues/static/locales/en-US/messages.json', {
      ...asAdmin,
      ...accept('gzip'),
    });
    expect(headers).toMatchObject({
      'content-encoding': 'gzip',
      'content-type': 'application/json; charset=utf-8',
      'cache-control': 'private, no-cache',
    });
  });

  it('come only from its own folder', async () => {
    const paths = ['', 'nothing.js', 'js', '../index.ejs', '..%2Findex.ejs', 'constructor'];
    for (const path of paths) {
      const answer = await get(`/admin/queues/static/${path}`, asAdmin);
      expect([path, answer.status]).toEqual([path, 404]);
      expect(JSON.parse(answer.bytes.toString())).toMatchObject({ error_code: 'NOT_FOUND' });
    }
  });

  it('are cached and compressed, but the page and the jobs are not', async () => {
    for (const path of ['/admin/queues', '/admin/queues/api/queues']) {
      const { status, headers } = await get(path, { ...asAdmin, ...accept('br, gzip') });
      expect([status, headers['cache-control']]).toEqual([200, 'no-store']);
      expect(headers).not.toHaveProperty('content-encoding');
    }
  });
});
