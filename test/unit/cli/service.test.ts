import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, test } from 'vitest';
import { readRetryAfter } from '#src/cli/retry-call.ts';
import { makeFolder, runCommand, startFakeService } from '#test/support/fake-service.ts';

const nothingFound = { json: { results: [], took_ms: 1 } };
const problem = (error_code: string, detail: string): unknown => ({
  error_code,
  detail,
  request_id: 'req-7',
});

describe('finding the service', () => {
  test('without one says how to start it and which variables to set', async () => {
    const run = await runCommand(['search', 'x'], { key: undefined });
    expect(run.code).toBe(1);
    expect(run.stderr).toContain('npm start');
    expect(run.stderr).toContain('MILLRACE_URL and MILLRACE_API_KEY');
  });

  test('reads address and key from the file of a running local service', async () => {
    await using service = await startFakeService(() => nothingFound);
    const dataDir = makeFolder();
    const local = { url: `${service.url}/`, api_key: 'local-key', pid: process.pid };
    writeFileSync(join(dataDir, 'local-service.json'), JSON.stringify(local));
    const run = await runCommand(['search', 'x'], { key: undefined, dataDir });
    expect(run).toMatchObject({ code: 0, stdout: 'Nothing found.\n' });
    expect(service.requests[0]?.authorization).toBe('Bearer local-key');
  });

  test('reports when the local service is no longer running', async () => {
    const dataDir = makeFolder();
    const local = { url: 'http://127.0.0.1:9', api_key: 'k', pid: 2 ** 22 + 1 };
    writeFileSync(join(dataDir, 'local-service.json'), JSON.stringify(local));
    const run = await runCommand(['search', 'x'], { key: undefined, dataDir });
    expect(run.code).toBe(1);
    expect(run.stderr).toContain('is not running');
  });

  test('reports when that file is damaged', async () => {
    const dataDir = makeFolder();
    writeFileSync(join(dataDir, 'local-service.json'), '{"url":');
    const run = await runCommand(['search', 'x'], { key: undefined, dataDir });
    expect(run.stderr).toContain('is damaged');
  });

  test('never sends the local key to another address', async () => {
    const dataDir = makeFolder();
    const local = { url: 'http://127.0.0.1:9', api_key: 'k', pid: process.pid };
    writeFileSync(join(dataDir, 'local-service.json'), JSON.stringify(local));
    const run = await runCommand(['search', 'x', '--url', 'http://127.0.0.1:10'], {
      key: undefined,
      dataDir,
    });
    expect(run.stderr).toContain('No key for http://127.0.0.1:10');
  });

  test('prefers options over the environment', async () => {
    await using service = await startFakeService(() => nothingFound);
    const run = await runCommand(['--url', service.url, '--key', 'k2', 'search', 'x'], {
      url: 'http://127.0.0.1:9',
    });
    expect(run.code).toBe(0);
    expect(service.requests[0]?.authorization).toBe('Bearer k2');
  });
});

describe('a failing service', () => {
  test('that is busy is retried after its Retry-After, then after doubling delays', async () => {
    let calls = 0;
    await using service = await startFakeService(() => {
      calls += 1;
      const json = problem('RATE_LIMIT_EXCEEDED', 'Too many requests.');
      if (calls === 1) return { status: 429, headers: { 'retry-after': '7' }, json };
      if (calls === 2) return { status: 503, json };
      return nothingFound;
    });
    const run = await runCommand(['search', 'x'], { url: service.url });
    expect(run).toMatchObject({ code: 0, waits: [7000, 2000] });
    expect(run.stderr).toContain(
      'Too many requests. (RATE_LIMIT_EXCEEDED, request req-7) Trying again in 7 s.',
    );
  });

  test('that stays busy is given up after at most a minute of waiting', async () => {
    await using service = await startFakeService(() => ({
      status: 429,
      json: problem('RATE_LIMIT_EXCEEDED', 'Too many requests.'),
    }));
    const run = await runCommand(['search', 'x'], { url: service.url });
    expect(run.code).toBe(1);
    expect(run.waits).toEqual([1000, 2000, 4000, 8000, 16_000]);
  });

  test('that is gone is retried for ten seconds, then named', async () => {
    const service = await startFakeService(() => nothingFound);
    await service[Symbol.asyncDispose]();
    const run = await runCommand(['search', 'x'], { url: service.url });
    expect(run.code).toBe(1);
    expect(run.waits).toEqual([1000, 2000, 4000]);
    expect(run.stderr).toContain(
      `error: No answer from ${service.url} (ECONNREFUSED). Is the service running?`,
    );
  });

  test('that hangs up after a non-repeatable request is not called again', async () => {
    await using service = await startFakeService(() => ({ hangUp: true }));
    const run = await runCommand(['keys', 'create', '--name', 'a', '--role', 'read'], {
      url: service.url,
    });
    expect(run).toMatchObject({ code: 1, waits: [] });
    expect(service.requests).toHaveLength(1);
  });

  test('that refuses is quoted with error_code and request_id', async () => {
    await using service = await startFakeService(() => ({
      status: 401,
      json: problem('UNAUTHENTICATED', 'The API key is unknown.'),
    }));
    const run = await runCommand(['search', 'x'], { url: service.url });
    expect(run.code).toBe(1);
    expect(run.stderr).toBe('error: The API key is unknown. (UNAUTHENTICATED, request req-7)\n');
  });

  test.each([
    [
      'an error page',
      { status: 502, text: '<html>Bad Gateway</html>' },
      /answered 502: <html>Bad Gateway/,
    ],
    ['no JSON', { text: 'hello' }, /sent an unexpected answer/],
    ['other JSON', { json: { results: [{}] } }, /sent an unexpected answer/],
    ['an empty body', { text: '' }, /sent an unexpected answer/],
  ])(
    'that answers with %s leads to an error message without a stack',
    async (_, answer, sentence) => {
      await using service = await startFakeService(() => answer);
      const run = await runCommand(['search', 'x'], { url: service.url });
      expect(run.code).toBe(1);
      expect(run.stderr).toMatch(sentence);
      expect(run.stderr).not.toContain('    at ');
    },
  );
});

test('Retry-After is read as seconds or a date, and capped', () => {
  const now = Date.parse('2026-01-01T00:00:00Z');
  expect(readRetryAfter('3', now)).toBe(3000);
  expect(readRetryAfter('Thu, 01 Jan 2026 00:00:10 GMT', now)).toBe(10_000);
  expect(readRetryAfter('Wed, 31 Dec 2025 00:00:00 GMT', now)).toBe(0);
  expect(readRetryAfter('999999', now)).toBe(120_000);
  expect(readRetryAfter('soon', now)).toBeNull();
  expect(readRetryAfter(null, now)).toBeNull();
});

describe('an invalid command line', () => {
  test.each([
    [['frobnicate']],
    [['search']],
    [['search', 'x', '--limit', '0']],
    [['search', 'x', '--tag', 'novalue']],
    [['keys', 'create', '--name', 'x', '--role', 'king']],
    [['ingest', '-', 'file']],
    [['--url', 'ftp://x', 'status']],
    [[]],
  ])('%j exits with 2 and an explanation', async (words) => {
    const run = await runCommand(words, { url: 'http://127.0.0.1:9' });
    expect(run.code).toBe(2);
    expect(run.stderr).not.toBe('');
  });

  test('help and version exit with 0', async () => {
    for (const words of [
      ['--help'],
      ['ingest', '--help'],
      ['keys', 'create', '--help'],
      ['--version'],
    ]) {
      const run = await runCommand(words);
      expect(run.code).toBe(0);
      expect(run.stdout).not.toBe('');
    }
  });
});
