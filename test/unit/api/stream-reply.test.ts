import { once } from 'node:events';
import { createServer } from 'node:http';
import { type AddressInfo, connect } from 'node:net';
import { expect, it } from 'vitest';

import { sendStream, streamReply } from '#src/api/stream-reply.ts';

it('ends a stream whose client has stopped reading', async () => {
  const ended = Promise.withResolvers<number>();
  async function* endless(): AsyncGenerator<string> {
    let parts = 0;
    try {
      for (;;) {
        parts += 1;
        yield await Promise.resolve('x'.repeat(64 * 1024));
      }
    } finally {
      ended.resolve(parts);
    }
  }
  const server = createServer((request, response) => {
    const gone = new AbortController();
    response.on('close', () => gone.abort());
    const reply = streamReply('text/plain', endless());
    sendStream(response, reply, gone.signal, 100).catch(() => undefined);
  });
  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
  // a server listening on a port has an AddressInfo
  const client = connect((server.address() as AddressInfo).port, '127.0.0.1').pause();
  client.on('error', () => undefined);
  client.write('GET / HTTP/1.1\r\nHost: x\r\n\r\n');
  // It writes only until the buffers are full.
  expect(await ended.promise).toBeLessThan(1_000);
  client.destroy();
  server.close();
});

async function serve(
  parts: (signal: AbortSignal) => AsyncGenerator<string>,
): Promise<AsyncDisposable & { url: string; sent: Promise<unknown> }> {
  const sent = Promise.withResolvers<unknown>();
  const server = createServer((request, response) => {
    const gone = new AbortController();
    response.on('close', () => gone.abort());
    const reply = streamReply('text/plain', parts(gone.signal));
    sendStream(response, reply, gone.signal).then(() => sent.resolve('sent'), sent.resolve);
  });
  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
  // a server listening on a port has an AddressInfo
  const { port } = server.address() as AddressInfo;
  return {
    url: `http://127.0.0.1:${port}`,
    sent: sent.promise,
    async [Symbol.asyncDispose]() {
      server.closeAllConnections();
      await new Promise((resolve) => server.close(resolve));
    },
  };
}

it('sends each part without waiting for the next one, then ends', async () => {
  const gate = Promise.withResolvers<void>();
  await using served = await serve(async function* () {
    yield 'a';
    yield 'b';
    await gate.promise;
    yield 'c';
  });
  const { body } = await fetch(served.url);
  let text = '';
  for await (const part of body?.pipeThrough(new TextDecoderStream()) ?? []) {
    text += part;
    if (text === 'ab') gate.resolve();
  }
  expect(text).toBe('abc');
  expect(await served.sent).toBe('sent');
});

it('breaks off the connection when a later part fails', async () => {
  const gate = Promise.withResolvers<never>();
  await using served = await serve(async function* () {
    yield 'a';
    await gate.promise;
  });
  const response = await fetch(served.url);
  gate.reject(new Error('no more'));
  await expect(response.text()).rejects.toThrow('terminated');
  expect(await served.sent).toEqual(new Error('no more'));
});

it('is over when the client leaves, even while a part is awaited', async () => {
  await using served = await serve(async function* () {
    yield 'a';
    await Promise.withResolvers().promise;
  });
  const leaving = new AbortController();
  const { body } = await fetch(served.url, { signal: leaving.signal });
  await body?.getReader().read();
  leaving.abort();
  expect(await served.sent).toBe('sent');
});
