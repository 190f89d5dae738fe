import { createServer } from 'node:http';
import type { Metrics } from './metrics.ts';

export interface MetricsServer {
  readonly port: number;
  close(): Promise<void>;
}

/**
 * Serves `/metrics` and `/health` for a process without an API: only a worker itself knows the durations of its jobs
 * and whether it is alive.
 */
export async function serveMetrics(
  metrics: Metrics,
  isAlive: () => boolean,
  { host, port }: { host: string; port: number },
): Promise<MetricsServer> {
  const server = createServer((request, response) => {
    if (request.url === '/health') {
      const [status, word] = isAlive() ? [200, 'ok'] : [503, 'no heartbeat'];
      response
        .writeHead(status, { 'Content-Type': 'application/json' })
        .end(JSON.stringify({ status: word }));
      return;
    }
    if (request.url !== '/metrics') {
      response.writeHead(404).end();
      return;
    }
    metrics.text().then(
      (text) => response.writeHead(200, { 'Content-Type': metrics.contentType }).end(text),
      () => response.writeHead(503).end(),
    );
  });
  await new Promise<void>((resolve, reject) => {
    // Kept after start: a connection that the system cannot hand over, for lack of memory or file descriptors, costs
    // only one scrape.
    server.on('error', reject);
    server.listen(port, host, resolve);
  });
  const address = server.address();
  return {
    port: typeof address === 'object' && address !== null ? address.port : port,
    close: () =>
      new Promise((resolve) => {
        server.close(() => resolve());
        server.closeAllConnections();
      }),
  };
}
