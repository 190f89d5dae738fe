import { subscribe, unsubscribe } from 'node:diagnostics_channel';
import type { IncomingMessage } from 'node:http';
import { PassThrough, Readable } from 'node:stream';
import { parse } from 'csv-parse/sync';
import { describe, expect, onTestFinished, test } from 'vitest';
import { looksLikeAddress } from '#src/cli/find-leads.ts';
import { runCommandLine } from '#src/cli/program.ts';
import { makeFolder, runCommand, startFakeService } from '#test/support/fake-service.ts';

const ID = '679d8d44-5c1e-4d62-a177-f014c137b69b';
const jane = {
  name: 'Jane "JD" Doe,\u001b[31m head',
  title: '=HYPERLINK("https://evil.example")',
  company: 'Rowan\nBikes',
  email: '@jane',
  phone: '+14155552671',
  website: '-1',
  socials: { linkedin: '\tx', twitter: '' },
  confidence_score: 0.9,
  evidence: {
    phone: [
      {
        value: '+14155552671',
        sources: [{ url: 'https://rowan.example/team', technique: 'tel-link' }],
      },
    ],
  },
};
const scrape = {
  scrape_id: ID,
  mode: 'scrape_url',
  query: 'rowan.example',
  status: 'completed',
  pages_done: 2,
  total_results: 1,
  error: null,
  created_at: '2026-03-31T10:00:00.000Z',
  warnings: ['slow.example could not be read. It did not\u0007 answer.'],
  leads: [jane],
};
const running = { ...scrape, status: 'running', total_results: 0, leads: [], warnings: [] };
const begun = { status: 202, json: { scrape_id: ID, status_url: `/tools/lead-scraper/${ID}` } };

/** Answers the start, then each poll with the next state; the last one repeats. */
function startScrapes(...states: object[]) {
  let polls = 0;
  return startFakeService(({ method }) => {
    if (method === 'POST') return begun;
    polls += 1;
    return { json: states[Math.min(polls, states.length) - 1] };
  });
}

/** The named headers of each request to a server in this process. */
function watchHeaders(...names: string[]): (string | string[] | undefined)[][] {
  const seen: (string | string[] | undefined)[][] = [];
  const onRequest = (message: unknown): void => {
    const { request } = message as { request: IncomingMessage }; // as documented for the channel
    seen.push(names.map((name) => request.headers[name]));
  };
  subscribe('http.server.request.start', onRequest);
  onTestFinished(() => void unsubscribe('http.server.request.start', onRequest));
  return seen;
}

describe('leads find', () => {
  test('fails with the error of a failed scrape and prints no leads', async () => {
    await using service = await startScrapes({
      ...running,
      status: 'failed',
      error: 'rowan.example\u001b[2J refused the connection.',
    });
    const run = await runCommand(['leads', 'find', 'rowan.example'], { url: service.url });
    expect(run).toMatchObject({
      code: 1,
      stdout: '',
      stderr: 'error: rowan.example refused the connection.\n',
    });
  });

  test('prints what a canceled scrape had found, and fails', async () => {
    await using service = await startScrapes({ ...scrape, status: 'canceled' });
    const run = await runCommand(['leads', 'find', 'rowan.example'], { url: service.url });
    expect(run.code).toBe(1);
    expect(run.stdout).toContain('+14155552671');
    expect(run.stderr).toContain('was canceled');
  });

  test('leaves the scrape running on Ctrl-C and says how to see it', async () => {
    await using service = await startScrapes(running);
    const run = await runCommand(['leads', 'find', 'x'], {
      url: service.url,
      onWait: (interrupt) => interrupt.abort(),
    });
    expect(run).toMatchObject({ code: 130, stdout: '' });
    expect(run.stderr).toContain(`millrace leads show ${ID}`);
    expect(service.requests.map(({ method }) => method)).toEqual(['POST', 'GET']);
  });

  test('gives up after an hour, and says how to see the scrape', async () => {
    await using service = await startScrapes({ ...running, status: 'queued' });
    const run = await runCommand(['leads', 'find', 'x'], { url: service.url });
    expect(run.code).toBe(1);
    expect(run.stderr).toContain(`millrace leads show ${ID}`);
    expect(run.waits.reduce((sum, one) => sum + one, 0)).toBeGreaterThanOrEqual(3_600_000);
  });

  test('does not send the key to another host named in a response', async () => {
    await using service = await startFakeService(() => ({
      json: { scrape_id: ID, status_url: '@127.0.0.1:9/' },
    }));
    const run = await runCommand(['leads', 'find', 'x'], { url: service.url });
    expect(run.code).toBe(1);
    expect(run.stderr).toContain('sent an unexpected answer');
  });

  test('searches for words with its options, and prints a table without terminal control characters', async () => {
    const headers = watchHeaders('prefer', 'cache-control');
    await using service = await startScrapes(running, scrape);
    const words = 'leads find bicycle repairs --max 7 --enrichment email,phone --fresh'.split(' ');
    const run = await runCommand(words, { url: service.url });
    expect(run).toMatchObject({ code: 0, waits: [2_000] });
    expect(run.stdout.split('\n')[1]).toBe(
      'Jane "JD" Doe, head  =HYPERLINK("https://evil.example")  Rowan Bikes  @jane  +14155552671  0.90',
    );
    expect(run.stderr).toBe('slow.example could not be read. It did not answer.\n');
    expect(service.requests[0]?.body).toEqual({
      mode: 'keyword_search',
      query: 'bicycle repairs',
      max_results: 7,
      enrichment: ['email', 'phone'],
    });
    expect(headers[0]).toEqual(['respond-async', 'no-cache']);
  });

  test('several addresses are a list, but an address among words is a word', async () => {
    await using service = await startScrapes(scrape);
    await runCommand('leads find a.example https://b.example/team'.split(' '), {
      url: service.url,
    });
    await runCommand('leads find shops like a.example'.split(' '), { url: service.url });
    const bodies = service.requests.filter(({ method }) => method === 'POST');
    expect(bodies.map(({ body }) => body)).toEqual([
      { mode: 'scrape_url', urls: ['a.example', 'https://b.example/team'] },
      { mode: 'keyword_search', query: 'shops like a.example' },
    ]);
  });

  test('reuses a result of the last hour unless told not to', async () => {
    const headers = watchHeaders('prefer', 'cache-control');
    await using service = await startScrapes(scrape);
    const words = ['leads', 'find', 'https://rowan.example/team'];
    await runCommand(words, { url: service.url });
    expect(headers[0]?.[1]).not.toBe('no-cache');
    expect(service.requests[0]?.body).toEqual({
      mode: 'scrape_url',
      query: 'https://rowan.example/team',
    });
  });

  test('writes CSV that reads back identically, without cells that a spreadsheet would run', async () => {
    await using service = await startScrapes(scrape);
    const run = await runCommand(['leads', 'find', 'x', '--csv'], { url: service.url });
    expect(run.stderr).toBe('slow.example could not be read. It did not answer.\n');
    expect(run.stdout.replace(/"(?:[^"]|"")*"/g, '').match(/\r\n/g)).toHaveLength(2);
    expect(parse(run.stdout)).toEqual([
      'name,title,company,email,phone,website,linkedin,twitter,score,evidence'.split(','),
      [
        'Jane "JD" Doe, head',
        `'${jane.title}`,
        'Rowan\nBikes',
        "'@jane",
        "'+14155552671",
        "'-1",
        "'\tx",
        '',
        '0.90',
        'phone: https://rowan.example/team (tel-link)',
      ],
    ]);
  });

  test('prints the whole scrape as JSON', async () => {
    await using service = await startScrapes(scrape);
    const run = await runCommand(['leads', 'find', 'x', '--json'], { url: service.url });
    expect(JSON.parse(run.stdout)).toEqual(scrape);
  });

  test.each([
    [['leads', 'find', 'x', '--json', '--csv']],
    [['leads', 'find', 'x', '--max', '51']],
    [['leads', 'find', 'x', '--enrichment', 'email,shoes']],
  ])('%j is rejected as invalid and sends nothing', async (words) => {
    await using service = await startScrapes(scrape);
    expect(await runCommand(words, { url: service.url })).toMatchObject({ code: 2, stdout: '' });
    expect(service.requests).toEqual([]);
  });

  test('keeps one progress line on a terminal and clears it at the end', async () => {
    await using service = await startScrapes(running, scrape);
    const stdout = Object.assign(new PassThrough(), { isTTY: true });
    const stderr = Object.assign(new PassThrough(), { isTTY: true });
    const { signal } = new AbortController();
    const code = await runCommandLine(['leads', 'find', 'x'], {
      terminal: { stdin: Readable.from([]), stdout, stderr, signal, workingFolder: makeFolder() },
      settings: { MILLRACE_URL: service.url, MILLRACE_API_KEY: 'key', DATA_DIR: makeFolder() },
      version: '1.2.3',
      wait: () => Promise.resolve(),
    });
    expect(code).toBe(0);
    expect(String(stderr.read())).toMatch(
      // oxlint-disable-next-line no-control-regex -- the line is rewritten by them
      /^\r\u001b\[Krunning, pages: 2, leads so far: 0\r\u001b\[Kslow\.example/,
    );
  });
});

test.each([
  ['https://rowan.example', true],
  ['http://localhost:8000/', true],
  ['rowan.example', true],
  ['www.rowan.example:8080/team?x=1', true],
  ['127.0.0.1:8000', true],
  ['bäckerei-müller.example', true],
  ['bakery', false],
  ['bicycle repairs', false],
  ['repairs at rowan.example', false],
  ['jane@rowan.example', false],
  ['3.5', false],
  ['St.', false],
])('%j is an address: %s', (text, expected) => {
  expect(looksLikeAddress(text)).toBe(expected);
});

describe('earlier scrapes', () => {
  test('list shows them and says when there are more', async () => {
    await using service = await startFakeService(() => ({
      json: { scrapes: [scrape], next_cursor: 'next' },
    }));
    const run = await runCommand(['leads', 'list', '--limit', '1'], { url: service.url });
    expect(run.stdout.split('\n')[1]).toMatch(/^679d8d44\S+ +completed +1 +2 +2026\S+ +rowan/);
    expect(run.stderr).toContain('--limit');
    expect(service.requests[0]?.url).toBe('/tools/lead-scraper?limit=1');
  });

  test('show, cancel and delete treat the scrape id as one path segment', async () => {
    await using service = await startFakeService(() => ({ json: scrape }));
    for (const command of ['show', 'cancel', 'delete']) {
      const run = await runCommand(['leads', command, '../a'], { url: service.url });
      expect(run.code).toBe(0);
    }
    expect(service.requests.map(({ method, url }) => `${method} ${url}`)).toEqual([
      'GET /tools/lead-scraper/..%2Fa',
      'POST /tools/lead-scraper/..%2Fa/cancel',
      'DELETE /tools/lead-scraper/..%2Fa',
    ]);
  });

  test('show reports why a scrape failed, without failing itself', async () => {
    const failed = { ...running, status: 'failed', error: 'Nothing answered.' };
    await using service = await startFakeService(() => ({ json: failed }));
    const run = await runCommand(['leads', 'show', ID], { url: service.url });
    expect(run).toMatchObject({ code: 0, stdout: 'No leads.\n' });
    expect(run.stderr).toBe('"rowan.example": failed: Nothing answered. (pages: 2)\n');
  });
});
