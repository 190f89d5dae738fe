import { once } from 'node:events';
import net from 'node:net';
import { describe, expect, it } from 'vitest';
import { parseConfig } from '#src/platform/config.ts';
import { startMillrace } from '#src/start-millrace.ts';
import { openTestEnvironment } from '#test/support/test-environment.ts';
import {
  migrateTestDatabase,
  startTestMillrace,
  type TestMillrace,
} from '#test/support/test-millrace.ts';

const item = (n: number) => ({
  document: {
    id: `d${n}`,
    semantic_identifier: `Document ${n}`,
    sections: [{ text: `Text ${n}` }],
  },
});
const items = (from: number, count: number) =>
  Array.from({ length: count }, (_, index) => item(from + index));

describe('the limit on waiting documents', () => {
  it('refuses documents above it, per workspace, until some are indexed', async () => {
    await using millrace = await startTestMillrace({ MAX_PENDING_DOCUMENTS: '5' });
    const call: TestMillrace['call'] = (...request) => millrace.call(...request);
    const queue = (change: string) =>
      call('PUT', `/admin/queues/api/queues/document-index/${change}`);
    const batch = (documents: unknown[]) =>
      call('POST', '/service-api/ingestion/batch', { documents });
    const lines = (documents: unknown[]) =>
      call(
        'POST',
        '/service-api/ingestion/batch',
        documents.map((one) => JSON.stringify(one)).join('\n'),
        {
          headers: { 'Content-Type': 'application/x-ndjson' },
        },
      );

    expect((await queue('pause')).status).toBe(200);
    const mixed = await batch(items(0, 8));
    expect(mixed.status).toBe(200);
    expect(mixed.body).toMatchObject({ accepted: 5, failed: 3 });
    expect(mixed.body.results.at(-1)).toMatchObject({ error_code: 'RATE_LIMIT_EXCEEDED' });

    const refused = [
      await call('POST', '/service-api/ingestion', item(100)),
      await batch(items(100, 3)),
      await lines(items(100, 3)),
      ...(await Promise.all(
        items(200, 20).map((one) => call('POST', '/service-api/ingestion', one)),
      )),
    ];
    for (const { status, body, headers } of refused) {
      expect([status, body.error_code]).toEqual([429, 'RATE_LIMIT_EXCEEDED']);
      expect(body.detail).toContain('MAX_PENDING_DOCUMENTS');
      expect(Number(headers.get('Retry-After'))).toBeGreaterThanOrEqual(1);
    }
    const { body: stats } = await call('GET', '/service-api/ingestion/stats');
    expect(stats).toMatchObject({ counts: { accepted: 5 }, estimated_seconds_to_drain: null });
    expect(stats.oldest_pending_seconds).toBeGreaterThan(0);

    const other = await millrace.createWorkspace();
    const concurrent = await Promise.all(
      items(0, 20).map((one) => call('POST', '/service-api/ingestion', one, { key: other.key })),
    );
    expect(concurrent.filter(({ status }) => status === 200)).toHaveLength(5);
    expect(concurrent.filter(({ status }) => status === 429)).toHaveLength(15);

    expect((await queue('resume')).status).toBe(200);
    await millrace.settled();
    await expect
      .poll(async () => (await batch(items(300, 5))).body, { interval: 200 })
      .toMatchObject({ accepted: 5, failed: 0 });
    await millrace.settled();
    await millrace.settled(other.key);
  });
});

describe('shutdown', () => {
  it('finishes requests in progress, closes idle connections and accepts no new ones', async () => {
    // Millrace stops before its database is dropped.
    await using opened = new AsyncDisposableStack();
    const environment = opened.use(await openTestEnvironment());
    await migrateTestDatabase(environment.settings);
    const running = await startMillrace(parseConfig(environment.settings));
    const [requests, ...others] = running.phases;
    opened.defer(async () => {
      for (const phase of others) await phase.run();
    });
    const port = Number(new URL(running.url).port);
    const idle = await connect(port);
    idle.write('GET /health HTTP/1.1\r\nHost: x\r\n\r\n');
    await idle.until('"success":true');

    const head = (path: string, type: string, framing: string) =>
      `POST ${path} HTTP/1.1\r\nHost: x\r\nAuthorization: Bearer ${environment.adminKey}\r\nContent-Type: ${type}\r\n${framing}\r\n\r\n`;
    const chunk = (text: string) => `${Buffer.byteLength(text).toString(16)}\r\n${text}\r\n`;
    const stream = await connect(port);
    stream.write(
      head('/service-api/ingestion/batch', 'application/x-ndjson', 'Transfer-Encoding: chunked'),
    );
    stream.write(chunk(`${JSON.stringify(item(1))}\n`));
    await stream.until('"document_id":"d1"');
    const search = await connect(port);
    const body = JSON.stringify({ query: 'text' });
    search.write(head('/search', 'application/json', `Content-Length: ${body.length}`));
    search.write(body.slice(0, 5));
    await search.sent();

    const stopped = requests?.run();
    await idle.closed;
    await expect(connect(port)).rejects.toThrow('ECONNREFUSED');
    search.write(body.slice(5));
    await search.closed;
    expect(search.text()).toMatch(/^HTTP\/1\.1 200 OK/);
    expect(search.text()).toMatch(/\r\nConnection: close\r\n/i);
    expect(search.text()).toContain('"results":[');
    stream.write(chunk(`${JSON.stringify(item(2))}\n`));
    await stream.until('"document_id":"d2"');
    stream.write('0\r\n\r\n');
    await stream.closed;
    await stopped;
    expect(stream.text()).toMatch(/\r\n0\r\n\r\n$/);
  });
});

/** A connection that records what it receives. */
async function connect(port: number) {
  const socket = net.connect(port, '127.0.0.1');
  await once(socket, 'connect');
  let received = '';
  socket.on('data', (data) => {
    received += data.toString('utf8');
  });
  socket.on('error', () => undefined); // shows up as a close
  return {
    closed: once(socket, 'close'),
    text: () => received,
    write: (text: string) => void socket.write(text),
    sent: () => new Promise<void>((resolve) => void socket.write('', () => resolve())),
    async until(text: string) {
      while (!received.includes(text)) {
        await once(socket, 'data', { signal: AbortSignal.timeout(60_000) });
      }
    },
  };
}
