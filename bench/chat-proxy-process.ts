import { once } from 'node:events';
import { Agent, createServer, request as callModel } from 'node:http';
import type { AddressInfo } from 'node:net';
import { createInterface } from 'node:readline';

const agent = new Agent({ keepAlive: true });

/** The baseline for a chat: parses each event of the model and forwards it with an id. Exits with its parent. */
async function main(modelUrl: string): Promise<void> {
  const server = createServer((request, response) => {
    const call = callModel(`${modelUrl}/chat/completions`, { method: 'POST', agent }, (answer) => {
      response.writeHead(200, { 'content-type': 'text/event-stream' });
      let id = 0;
      const lines = createInterface({ input: answer });
      lines.on('line', (line) => {
        if (!line.startsWith('data: {')) return;
        const event: unknown = JSON.parse(line.slice(6));
        response.write(`id: ${id}\ndata: ${JSON.stringify({ obj: event })}\n\n`);
        id += 1;
      });
      lines.on('close', () => response.end());
    });
    request.pipe(call);
  });
  server.listen(0, '127.0.0.1', 4_096);
  await once(server, 'listening');
  process.on('disconnect', () => process.exit(0));
  const { port } = server.address() as AddressInfo;
  process.send?.({ port });
}

await main(process.argv[2] ?? '');
