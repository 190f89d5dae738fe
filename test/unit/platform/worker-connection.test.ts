import { once } from 'node:events';
import { type AddressInfo, createServer, type Socket } from 'node:net';
import { ConnectionClosedError } from 'bullmq';
import { afterEach, expect, it } from 'vitest';
import { SteadyClient } from '#src/platform/postgres.ts';
import { openWorkerConnection } from '#src/platform/worker-connection.ts';

/** A server message of the Postgres protocol: a letter, the length, the content. */
function message(letter: string, content: Buffer): Buffer {
  const length = Buffer.alloc(4);
  length.writeInt32BE(content.length + 4);
  return Buffer.concat([Buffer.from(letter), length, content]);
}

const WELCOME = Buffer.concat([
  message('R', Buffer.alloc(4)), // authentication ok
  message('Z', Buffer.from('I')), // ready for query
]);
const fatal = (code: string): Buffer =>
  message('E', Buffer.from(`SFATAL\0VFATAL\0C${code}\0Mgoing away\0\0`));
const failed = (code: string): Buffer =>
  Buffer.concat([
    message('E', Buffer.from(`SERROR\0VERROR\0C${code}\0Mwrong\0\0`)),
    message('Z', Buffer.from('I')),
  ]);
const TERMINATE = 'X'.charCodeAt(0);

let opened = new AsyncDisposableStack();
afterEach(async () => {
  await opened.disposeAsync();
  opened = new AsyncDisposableStack();
});

/** A server that answers each client message as scripted; the first message has no letter. */
async function openServer(script: (chunk: Buffer, first: boolean, socket: Socket) => void) {
  const sockets = new Set<Socket>();
  const server = createServer({ allowHalfOpen: true }, (socket) => {
    sockets.add(socket);
    let first = true;
    socket.on('error', () => undefined);
    socket.on('data', (chunk) => {
      script(chunk, first, socket);
      first = false;
    });
  });
  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
  opened.defer(() => {
    for (const socket of sockets) socket.destroy();
    server.close();
  });
  // a server listening on TCP has an address with a port
  return (server.address() as AddressInfo).port;
}

function connectTo(port: number) {
  const reported: string[] = [];
  const connection = openWorkerConnection(
    { host: '127.0.0.1', port, user: 'u', password: 'p', database: 'd', Client: SteadyClient },
    (error) => reported.push(error.message),
  );
  opened.defer(async () => connection.close());
  return { connection, reported };
}

it('rejects a connection that the server ended just after opening it', async () => {
  let refusals = 1;
  const port = await openServer((_chunk, first, socket) => {
    if (!first) return;
    refusals -= 1;
    if (refusals >= 0) socket.end(Buffer.concat([WELCOME, fatal('57P01')]));
    else socket.write(WELCOME);
  });
  const { connection, reported } = connectTo(port);
  await expect(connection.getListenClient()).rejects.toBeInstanceOf(ConnectionClosedError);
  expect(reported).toEqual(['going away']);
  // The next attempt opens a fresh connection.
  await connection.getListenClient();
});

it('survives a connection that the server ends during its close', async () => {
  const gone = Promise.withResolvers<void>();
  const port = await openServer((chunk, first, socket) => {
    if (first) socket.write(WELCOME);
    else if (chunk[0] === TERMINATE) socket.once('close', gone.resolve).end(fatal('57P01'));
  });
  const unheard: unknown[] = [];
  const hear = (error: unknown): void => void unheard.push(error);
  process.on('uncaughtException', hear);
  const { connection } = connectTo(port);
  await connection.getListenClient();
  await connection.close();
  await gone.promise;
  process.off('uncaughtException', hear);
  expect(unheard).toEqual([]);
});

it.each(['57P03', '53300', '08006'])(
  'reports in the words of the queue library that the server is away (%s)',
  async (code) => {
    const port = await openServer((_chunk, first, socket) => {
      if (first) socket.end(fatal(code));
    });
    const { connection, reported } = connectTo(port);
    await connection.waitUntilReady();
    await expect(connection.pool.query('select 1')).rejects.toBeInstanceOf(ConnectionClosedError);
    expect(reported).toEqual(['going away']);
  },
);

it('leaves the error of a statement unchanged', async () => {
  const port = await openServer((chunk, first, socket) => {
    if (first) socket.write(WELCOME);
    else if (chunk[0] !== TERMINATE) socket.write(failed('42P01'));
    else socket.end();
  });
  const { connection, reported } = connectTo(port);
  await expect(connection.pool.query('select 1')).rejects.toMatchObject({ code: '42P01' });
  expect(reported).toEqual([]);
});
