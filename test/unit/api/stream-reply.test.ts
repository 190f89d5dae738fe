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
