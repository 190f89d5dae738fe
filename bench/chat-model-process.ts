import { once } from 'node:events';
import { createServer, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import { setTimeout as pause } from 'node:timers/promises';
import { type Pace, PACES } from './chat-paces.ts';

/** First message from the child. It replies to every message with the number of answers in progress. */
export interface ModelStarted {
  port: number;
}
export interface ModelReport {
  inProgress: number;
  answers: number;
}

const report: ModelReport = { inProgress: 0, answers: 0 };

/** An OpenAI-compatible model with zero think time. Exits with its parent. */
async function main(): Promise<void> {
  const server = createServer((request, response) => {
    const chunks: Buffer[] = [];
    request.on('data', (chunk: Buffer) => chunks.push(chunk));
    request.on('end', () => {
      const body = JSON.parse(Buffer.concat(chunks).toString()) as { model: string };
      void answer(response, PACES[body.model as Pace]);
    });
  });
  // Longer than the proxy is ever left idle: a connection that closes as it is used fails the bench.
  server.keepAliveTimeout = 600_000;
  server.listen(0, '127.0.0.1', 4_096);
  await once(server, 'listening');
  process.on('message', () => process.send?.(report));
  process.on('disconnect', () => process.exit(0));
  const { port } = server.address() as AddressInfo;
  process.send?.({ port } satisfies ModelStarted);
}

async function answer(
  response: ServerResponse,
  { tokens, pauseMs }: { tokens: number; pauseMs: number },
): Promise<void> {
  report.inProgress += 1;
  report.answers += 1;
  response.on('close', () => (report.inProgress -= 1));
  response.writeHead(200, { 'content-type': 'text/event-stream' });
  for (let index = 0; index < tokens && !response.destroyed; index += 1) {
    if (index > 0 && pauseMs > 0) await pause(pauseMs);
    response.write(eventOf({ content: `word${index} ` }, null));
  }
  response.end(`${eventOf({}, 'stop')}data: [DONE]\n\n`);
}

function eventOf(delta: object, finishReason: string | null): string {
  const choices = [{ index: 0, delta, finish_reason: finishReason }];
  return `data: ${JSON.stringify({ id: 'c', object: 'chat.completion.chunk', created: 1, model: 'm', choices })}\n\n`;
}

await main();
