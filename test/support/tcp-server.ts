import { once } from 'node:events';
import { type AddressInfo, createServer, type Socket } from 'node:net';

/** A server that sends whatever a test wants, HTTP or not. */
export interface TcpServer extends AsyncDisposable {
  readonly url: string;
  readonly port: number;
  /** Total number of connections. */
  readonly connections: number;
  /** Resolves when no connection is left. */
  untilIdle(): Promise<void>;
}

/** `onRequest` is called when the first bytes of a connection have arrived. */
export async function startTcpServer(onRequest: (socket: Socket) => void): Promise<TcpServer> {
  const open = new Set<Socket>();
  let connections = 0;
  const server = createServer((socket) => {
    connections += 1;
    open.add(socket);
    socket.on('error', () => undefined).on('close', () => open.delete(socket));
    socket.once('data', () => onRequest(socket));
  });
  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
  // A server that listens on TCP has an address with a port.
  const { port } = server.address() as AddressInfo;
  return {
    url: `http://127.0.0.1:${port}`,
    port,
    get connections() {
      return connections;
    },
    async untilIdle() {
      const closing = [...open].map(
        // `once` would reject when a connection is reset.
        (socket) => new Promise((resolve) => socket.once('close', resolve)),
      );
      await Promise.all(closing);
    },
    async [Symbol.asyncDispose]() {
      for (const socket of open) socket.destroy();
      server.close();
      await once(server, 'close');
    },
  };
}

/** Calls `write` every few milliseconds while the connection is open. */
export function drip(socket: Socket, write: (count: number) => void): void {
  let count = 0;
  const timer = setInterval(() => write((count += 1)), 10);
  socket.on('close', () => clearInterval(timer));
}
