import { createServer } from 'node:http';
import type { Metrics } from './metrics.ts';

export interface MetricsServer {
  close(): Promise<void>;
}

/** Serves `/metrics` for a process without an API: only a worker itself knows the durations of its jobs. */
export async function serveMetrics(
  metrics: Metrics,
  { host, port }: { host: string; port: number },
): Promise<MetricsServer> {
  const server = createServer((request, response) => {
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
  return {
    close: () =>
      new Promise((resolve) => {
        server.close(() => resolve());
        server.closeAllConnections();
      }),
  };
}
