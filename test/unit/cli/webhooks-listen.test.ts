import { once } from 'node:events';
import { createServer } from 'node:net';
import { PassThrough, Readable } from 'node:stream';
import { afterEach, describe, expect, test } from 'vitest';
import { runCommandLine } from '#src/cli/program.ts';
import { makeSecret, signatureHeaders } from '#src/webhooks/sign.ts';
import { makeFolder, runCommand } from '#test/support/fake-service.ts';

describe('webhooks listen', () => {
  const secret = makeSecret();
  const body = JSON.stringify({ id: 'evt_1', type: 'ping', data: { message: 'Grüße' } });
  const nowSeconds = () => Math.floor(Date.now() / 1_000);
  const signed = (timestampSeconds = nowSeconds()) =>
    signatureHeaders({ current: secret, previous: null }, { id: 'evt_1', timestampSeconds, body });
  const started: { stop: () => Promise<number> }[] = [];
  afterEach(async () => {
    for (const one of started.splice(0)) await one.stop();
  });

  /** The command running until Ctrl-C, with its output. */
  async function startListening(...words: string[]) {
    const [stdout, stderr] = [new PassThrough(), new PassThrough()];
    const interrupt = new AbortController();
    const done = runCommandLine(['webhooks', 'listen', '--port', '0', ...words], {
      terminal: {
        stdin: Readable.from([]),
        stdout,
        stderr,
        signal: interrupt.signal,
        workingFolder: makeFolder(),
      },
      settings: { DATA_DIR: makeFolder() },
      version: '1.2.3',
    });
    const [greeting] = (await once(stderr, 'data')) as [Buffer]; // a PassThrough without encoding
    const url = /http:\/\/127\.0\.0\.1:\d+/.exec(String(greeting))?.[0] ?? '';
    const stop = () => {
      interrupt.abort();
      return done;
    };
    started.push({ stop });
    return {
      url,
      stop,
      printed: () => String(stdout.read() ?? ''),
      post: async (headers: Record<string, string>, sent = body) =>
        (await fetch(url, { method: 'POST', headers, body: sent })).status,
    };
  }

  test('answers 401 with the reason when a delivery is invalid', async () => {
    const listener = await startListening('--secret', secret);
    const { 'x-signature': _, ...withoutX } = signed();
    const old = signed(nowSeconds() - 301);
    const stranger = signatureHeaders(
      { current: makeSecret(), previous: null },
      { id: 'evt_1', timestampSeconds: nowSeconds(), body },
    );
    const statuses = [
      await listener.post(signed(), `${body} `),
      await listener.post({ ...signed(), 'webhook-id': 'evt_2' }),
      await listener.post(stranger),
      await listener.post(old),
      await listener.post(withoutX),
      await listener.post({}),
    ];
    expect(statuses).toEqual([401, 401, 401, 401, 401, 401]);
    const reasons = [...listener.printed().matchAll(/REFUSED \(([a-z-]+ ?[a-z]*)/g)];
    expect(reasons.map(([, reason]) => reason)).toEqual([
      'webhook-signature does',
      'webhook-signature does',
      'webhook-signature does',
      'webhook-timestamp is',
      'x-signature does',
      'no webhook',
    ]);
    expect((await fetch(listener.url)).status).toBe(405);
  });

  test('verifies a delivery, prints it on one line, and ends on Ctrl-C', async () => {
    const listener = await startListening('--secret', secret);
    expect(await listener.post(signed())).toBe(200);
    expect(listener.printed()).toMatch(
      /^\d\d:\d\d:\d\d verified ping evt_1 \{"message":"Grüße"\}\n$/,
    );
    expect(await listener.stop()).toBe(0);
    await expect(fetch(listener.url)).rejects.toThrow();
  });

  test('accepts both secrets during a rotation', async () => {
    const [current, previous] = [makeSecret(), secret];
    const during = signatureHeaders(
      { current, previous },
      { id: 'evt_1', timestampSeconds: nowSeconds(), body },
    );
    for (const one of [current, previous]) {
      const listener = await startListening('--secret', one);
      expect(await listener.post(during)).toBe(200);
    }
  });

  test('without a secret verifies nothing and says so; a body that is not an event is printed too', async () => {
    const listener = await startListening();
    expect(await listener.post({}, 'plain\u001b[2J text')).toBe(200);
    expect(listener.printed()).toMatch(/ unchecked not an event: plain text\n$/);
  });

  test('with --json prints each delivery as JSON', async () => {
    const listener = await startListening('--secret', secret, '--json');
    await listener.post(signed());
    expect(JSON.parse(listener.printed())).toMatchObject({
      verified: true,
      fault: null,
      event: { id: 'evt_1', type: 'ping' },
      headers: { 'webhook-id': 'evt_1' },
    });
  });

  test('rejects a truncated secret and a port in use', async () => {
    const wrong = await runCommand(['webhooks', 'listen', '--secret', secret.slice(6)]);
    expect(wrong.code).toBe(2);
    const taken = createServer().listen(0, '127.0.0.1');
    await once(taken, 'listening');
    const { port } = taken.address() as { port: number }; // a listening TCP server has a port
    const run = await runCommand(['webhooks', 'listen', '--port', String(port)]);
    taken.close();
    expect(run.code).toBe(1);
    expect(run.stderr).toContain('EADDRINUSE');
  });
});
