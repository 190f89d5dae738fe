import { once } from 'node:events';
import { createServer as createHttpServer } from 'node:http';
import { createServer as createTcpServer, type Server } from 'node:net';
import { machineTimeMs } from './machine-time.ts';

/** The child's answer to `take` from its parent; the child then resets its counts. */
export interface ReceiverReport {
  /** Per webhook-id: time of its first arrival, see `machineTimeMs`. */
  arrivals: [id: string, atMs: number][];
  /** All requests, including repeats. */
  requests: number;
  /** Peak number of open connections. */
  peakConnections: number;
  /** Connections to the black hole. */
  blackHoleConnections: number;
}

/** First message from the child. */
export interface ReceiverPorts {
  ports: number[];
  /** Accepts connections and never reads or answers. */
  blackHolePort: number;
}

const arrivals = new Map<string, number>();
let requests = 0;
let connections = 0;
let peakConnections = 0;
let blackHoleConnections = 0;

/** The receivers of the webhook bench: each answers 204 once it has read the body. Exits with its parent. */
async function main(): Promise<void> {
  const count = Number(process.argv[2]);
  const ports = await Promise.all(Array.from({ length: count }, () => listen(startReceiver())));
  const blackHole = createTcpServer((socket) => {
    blackHoleConnections += 1;
    socket.on('error', () => {});
  });
  const blackHolePort = await listen(blackHole);
  process.on('message', () => send(takeReport()));
  process.on('disconnect', () => process.exit(0));
  send({ ports, blackHolePort });
}

function startReceiver(): Server {
  const server = createHttpServer((request, response) => {
    requests += 1;
    const id = request.headers['webhook-id'];
    if (typeof id === 'string' && !arrivals.has(id)) arrivals.set(id, machineTimeMs());
    request.resume().on('end', () => response.writeHead(204).end());
  });
  server.keepAliveTimeout = 60_000;
  server.on('connection', (socket) => {
    connections += 1;
    peakConnections = Math.max(peakConnections, connections);
    socket.on('close', () => {
      connections -= 1;
    });
  });
  return server;
}

function takeReport(): ReceiverReport {
  const report = {
    arrivals: [...arrivals],
    requests,
    peakConnections,
    blackHoleConnections,
  };
  arrivals.clear();
  requests = 0;
  peakConnections = connections;
  blackHoleConnections = 0;
  return report;
}

async function listen(server: Server): Promise<number> {
  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
  const address = server.address();
  if (address === null || typeof address === 'string') throw new Error('The server has no port.');
  return address.port;
}

function send(message: ReceiverPorts | ReceiverReport): void {
  process.send?.(message);
}

await main();
