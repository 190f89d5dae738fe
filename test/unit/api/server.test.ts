import { once } from 'node:events';
import { Agent, type IncomingMessage, request as httpRequest } from 'node:http';
import { connect } from 'node:net';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import type { Database } from '#src/platform/database.ts';
import { z } from 'zod';
import { defineRoute } from '#src/api/route.ts';
import { healthRoutes } from '#src/api/routes/health.ts';
import { streamReply } from '#src/api/stream-reply.ts';
import { anyString, bearer, BOOTSTRAP_KEY, openTestApi, openTestDatabase } from './harness.ts';

let database: Database;
beforeAll(async () => {
  database = await openTestDatabase();
});
afterAll(() => database.destroy());

/** The response to these bytes, read until the server closes the connection. */
async function exchange(url: string, bytes: string): Promise<{ head: string; body: string }> {
  const { port, hostname } = new URL(url);
  const socket = connect(Number(port), hostname);
  let text = '';
  socket.on('data', (data) => {
    text += data.toString();
  });
  socket.write(bytes);
  await once(socket, 'close');
  const [head = '', body = ''] = text.split('\r\n\r\n');
  return { head, body };
}

/** Everything received on one connection until it is closed. */
async function exchangeAll(url: string, requests: string[]): Promise<string> {
  const { port, hostname } = new URL(url);
  const socket = connect(Number(port), hostname);
  let text = '';
  socket.on('data', (data) => {
    text += data.toString();
  });
  socket.on('error', () => undefined);
  socket.write(requests.join(''));
  await new Promise((resolve) => socket.once('close', resolve));
  return text;
}

/** A route that counts its requests; each waits for the function that `next` resolves to. */
function countedRoutes() {
  const arrivals: (() => void)[] = [];
  let announce = Promise.withResolvers<void>();
  const gates = {
    entered: 0,
    async next(): Promise<() => void> {
      for (;;) {
        const open = arrivals.shift();
        if (open !== undefined) return open;
        announce = Promise.withResolvers();
        await announce.promise;
      }
    },
  };
  const routes = [
    ...healthRoutes,
    defineRoute({
      method: 'GET',
      tag: 'Test',
      family: 'platform',
      scope: 'public',
      path: '/counted',
      summary: 'Counts',
      reply: z.object({ number: z.number() }),
      async handle() {
        gates.entered += 1;
        const number = gates.entered;
        await new Promise<void>((resolve) => {
          arrivals.push(resolve);
          announce.resolve();
        });
        return { number };
      },
    }),
  ];
  return { routes, gates };
}

function gatedRoutes() {
  const gate = Promise.withResolvers<void>();
  const entered = Promise.withResolvers<void>();
  const shared = { method: 'GET', tag: 'Test', family: 'platform', scope: 'public' } as const;
  return {
    gate,
    entered,
    routes: [
      ...healthRoutes,
      defineRoute({
        ...shared,
        path: '/slow',
        summary: 'Waits',
        reply: z.object({ done: z.boolean() }),
        async handle() {
          entered.resolve();
          await gate.promise;
          return { done: true };
        },
      }),
      defineRoute({
        ...shared,
        path: '/endless',
        summary: 'Never ends',
        reply: z.string(),
        handle: ({ signal }) =>
          streamReply(
            'text/event-stream',
            (async function* () {
              yield 'data: 1\n\n';
              await new Promise((resolve) => signal.addEventListener('abort', resolve));
            })(),
          ),
      }),
      defineRoute({
        ...shared,
        method: 'POST',
        scope: 'any',
        path: '/small',
        summary: 'Takes little',
        body: z.object({}),
        reply: z.object({}),
        handle: () => ({}),
      }),
    ],
  };
}

describe('the server', () => {
  it.each([
    ['a malformed request line', 'NONSENSE\r\n\r\n', 400, 'BAD_REQUEST'],
    [
      'two Hosts',
      'GET /health HTTP/1.1\r\nHost: a\r\nHost: b\r\nConnection: close\r\n\r\n',
      400,
      'BAD_REQUEST',
    ],
    [
      'two Host headers, before the dashboard',
      'GET /admin/queues HTTP/1.1\r\nHost: a\r\nHost: a\r\nConnection: close\r\n\r\n',
      400,
      'BAD_REQUEST',
    ],
    ['no Host', 'GET /health HTTP/1.1\r\nConnection: close\r\n\r\n', 400, 'BAD_REQUEST'],
    [
      'two lengths',
      'POST /health HTTP/1.1\r\nHost: x\r\nContent-Length: 3\r\nTransfer-Encoding: chunked\r\n\r\n',
      400,
      'BAD_REQUEST',
    ],
    [
      'endless headers',
      `GET /health HTTP/1.1\r\nHost: x\r\nX-Long: ${'a'.repeat(40_000)}\r\n\r\n`,
      413,
      'PAYLOAD_TOO_LARGE',
    ],
    [
      'a malformed path',
      'GET http://[bad/ HTTP/1.1\r\nHost: x\r\nConnection: close\r\n\r\n',
      400,
      'BAD_REQUEST',
    ],
    [
      'a malformed path of a change',
      'POST http://[bad/ HTTP/1.1\r\nHost: x\r\nContent-Length: 0\r\nConnection: close\r\n\r\n',
      400,
      'BAD_REQUEST',
    ],
    [
      'a malformed chunk',
      `POST /small HTTP/1.1\r\nHost: x\r\nAuthorization: Bearer ${BOOTSTRAP_KEY}\r\nTransfer-Encoding: chunked\r\n\r\nzz\r\n`,
      400,
      'BAD_REQUEST',
    ],
    ['OPTIONS *', 'OPTIONS * HTTP/1.1\r\nHost: x\r\nConnection: close\r\n\r\n', 404, 'NOT_FOUND'],
  ])('answers %s with the standard error body', async (_, bytes, status, code) => {
    await using api = await openTestApi(gatedRoutes().routes, { database });
    const { head, body } = await exchange(api.url, bytes);
    expect(head).toContain(`HTTP/1.1 ${status} `);
    expect(head.toLowerCase()).toContain('content-type: application/json');
    expect(JSON.parse(body)).toEqual({
      error_code: code,
      detail: anyString,
      request_id: anyString,
    });
  });

  it('answers a request with an unknown Expect header', async () => {
    await using api = await openTestApi(healthRoutes, { database });
    const { head } = await exchange(
      api.url,
      'GET /health HTTP/1.1\r\nHost: x\r\nExpect: miracles\r\nConnection: close\r\n\r\n',
    );
    expect(head).toContain('200 OK');
  });

  it('delivers the response to a client still sending a body that is not read', async () => {
    await using api = await openTestApi(gatedRoutes().routes, {
      settings: { MAX_BODY_BYTES: '10000' },
      database,
    });
    const pour = () =>
      new ReadableStream({
        start(controller) {
          for (let part = 0; part < 200; part += 1) controller.enqueue(new Uint8Array(50_000));
          controller.close();
        },
      });
    for (const [headers, status] of [
      [bearer(BOOTSTRAP_KEY), 413],
      [{}, 401],
    ] as const) {
      const init = { method: 'POST', headers, body: pour(), duplex: 'half' };
      const response = await fetch(`${api.url}/small`, init);
      expect(response.status).toBe(status);
      await response.body?.cancel();
    }
    expect((await fetch(`${api.url}/health`)).status).toBe(200);
  });

  it('survives clients that request a tunnel and disconnect before the refusal', async () => {
    await using api = await openTestApi(healthRoutes, { database });
    const unheard: unknown[] = [];
    const hear = (error: unknown): void => void unheard.push(error);
    process.on('uncaughtException', hear);
    const { port, hostname } = new URL(api.url);
    for (let clients = 0; clients < 20; clients += 1) {
      const socket = connect(Number(port), hostname);
      await once(socket, 'connect');
      const sent = Promise.withResolvers<void>();
      socket.write('CONNECT a:1 HTTP/1.1\r\nHost: a\r\n\r\n', () => sent.resolve());
      await sent.promise;
      socket.resetAndDestroy();
      await once(socket, 'close');
    }
    expect((await fetch(`${api.url}/health`)).status).toBe(200);
    process.off('uncaughtException', hear);
    expect(unheard).toEqual([]);
  });

  it('serves the requests of one connection one after another', async () => {
    const { routes, gates } = countedRoutes();
    await using api = await openTestApi(routes, { database });
    const answers = exchangeAll(api.url, [
      'GET /counted HTTP/1.1\r\nHost: a\r\n\r\n',
      'GET /counted HTTP/1.1\r\nHost: a\r\nConnection: close\r\n\r\n',
    ]);
    const first = await gates.next();
    expect((await fetch(`${api.url}/health`)).status).toBe(200);
    expect(gates.entered).toBe(1);
    first();
    (await gates.next())();
    expect((await answers).match(/"number":\d/g)).toEqual(['"number":1', '"number":2']);
    expect(gates.entered).toBe(2);
  });

  it('drops a connection with thousands of pipelined requests and serves none of those waiting', async () => {
    const { routes, gates } = countedRoutes();
    await using api = await openTestApi(routes, { database });
    const request = 'GET /counted HTTP/1.1\r\nHost: a\r\n\r\n';
    const answers = exchangeAll(api.url, [request.repeat(5_000)]);
    await gates.next();
    expect(await answers).toBe('');
    expect((await fetch(`${api.url}/health`)).status).toBe(200);
    expect(gates.entered).toBe(1);
  });

  it('finishes requests in flight, closes keep-alive connections and accepts no more', async () => {
    const { gate, entered, routes } = gatedRoutes();
    await using api = await openTestApi(routes, { database });
    const agent = new Agent({ keepAlive: true });
    const slow = httpRequest(`${api.url}/slow`, { agent }).end();
    await entered.promise;
    const closed = api.close(5_000);
    await expect(fetch(`${api.url}/health`)).rejects.toThrow();
    gate.resolve();
    const [response] = (await once(slow, 'response')) as [IncomingMessage];
    expect(response.statusCode).toBe(200);
    expect(response.headers.connection).toBe('close');
    response.resume();
    await closed;
    agent.destroy();
  });

  it('names the setting to change when its port is taken', async () => {
    await using api = await openTestApi(healthRoutes, { database });
    const settings = { PORT: new URL(api.url).port };
    await expect(openTestApi(healthRoutes, { database, settings })).rejects.toThrow('PORT');
  });

  it('closes what has not finished by the deadline', async () => {
    await using api = await openTestApi(gatedRoutes().routes, { database });
    const response = await fetch(`${api.url}/endless`);
    const reader = response.body?.getReader();
    await reader?.read();
    await api.close(50);
    await expect(reader?.read()).rejects.toThrow();
  });
});
