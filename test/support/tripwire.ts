import { once } from 'node:events';
import { createServer, type Server, type Socket } from 'node:net';
import { randomLoopback } from './scripted-smtp.ts';

/** Forbidden servers on an internal network, which count connections. */
export interface Tripwire extends AsyncDisposable {
  /** A loopback address that no other test server uses. */
  readonly address: string;
  readonly ports: readonly number[];
  /** Must stay 0. */
  readonly connections: number;
}

const TRIES = 20;

/** @param ports 0 for any free port */
export async function startTripwire(ports: readonly number[]): Promise<Tripwire> {
  let connections = 0;
  const sockets = new Set<Socket>();
  for (let attempt = 1; ; attempt += 1) {
    const address = randomLoopback();
    const servers = ports.map(() =>
      createServer((socket) => {
        connections += 1;
        sockets.add(socket);
        // Not the greeting of any protocol, so every client gives up at once.
        socket.on('error', () => undefined).end('Who is there?\r\n');
      }),
    );
    try {
      const open = await Promise.all(
        servers.map((server, index) => listen(server, ports[index] ?? 0, address)),
      );
      return {
        address,
        ports: open,
        get connections() {
          return connections;
        },
        async [Symbol.asyncDispose]() {
          for (const socket of sockets) socket.destroy();
          await closeAll(servers);
        },
      };
    } catch (error) {
      await closeAll(servers);
      if (attempt === TRIES) throw error;
    }
  }
}

async function listen(server: Server, port: number, address: string): Promise<number> {
  server.listen(port, address);
  await once(server, 'listening');
  const bound = server.address();
  return typeof bound === 'object' && bound !== null ? bound.port : port;
}

async function closeAll(servers: readonly Server[]): Promise<void> {
  await Promise.all(
    servers
      .filter((server) => server.listening)
      .map(async (server) => {
        server.close();
        await once(server, 'close');
      }),
  );
}
