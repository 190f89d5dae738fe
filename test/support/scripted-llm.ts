import { createServer, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';

export interface ScriptedLlm extends AsyncDisposable {
  baseUrl: string;
  /** Bodies and authorization headers of the calls so far. */
  calls: { body: Record<string, unknown>; authorization: string | undefined }[];
  /** How many calls the client closed before they were answered. */
  closedEarly(): number;
}

/** An OpenAI-compatible server on the loopback that answers call n with script n (the last one repeats). */
export async function startScriptedLlm(
  ...scripts: ((response: ServerResponse) => void | Promise<void>)[]
): Promise<ScriptedLlm> {
  const calls: ScriptedLlm['calls'] = [];
  let closedEarly = 0;
  const server = createServer((request, response) => {
    const chunks: Buffer[] = [];
    request.on('data', (chunk: Buffer) => chunks.push(chunk));
    request.on('end', () => {
      const body = JSON.parse(Buffer.concat(chunks).toString()) as Record<string, unknown>;
      calls.push({ body, authorization: request.headers.authorization });
      response.on('close', () => (closedEarly += response.writableEnded ? 0 : 1));
      void scripts[Math.min(calls.length, scripts.length) - 1]?.(response);
    });
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  const { port } = server.address() as AddressInfo;
  return {
    baseUrl: `http://127.0.0.1:${port}/v1`,
    calls,
    closedEarly: () => closedEarly,
    async [Symbol.asyncDispose]() {
      server.closeAllConnections();
      await new Promise((resolve) => server.close(resolve));
    },
  };
}

export function chunkEvent(
  delta: Record<string, string>,
  finishReason: string | null = null,
): string {
  const choice = { index: 0, delta, finish_reason: finishReason };
  const chunk = {
    id: 'c',
    object: 'chat.completion.chunk',
    created: 1,
    model: 'm',
    choices: [choice],
  };
  return `data: ${JSON.stringify(chunk)}\n\n`;
}

export const END_EVENTS = `${chunkEvent({}, 'stop')}data: [DONE]\n\n`;

export function startEvents(response: ServerResponse): void {
  response.writeHead(200, { 'content-type': 'text/event-stream' });
}

export function answerError(status: number, message: string, headers: Record<string, string> = {}) {
  return (response: ServerResponse): void => {
    response.writeHead(status, { 'content-type': 'application/json', ...headers });
    response.end(JSON.stringify({ error: { message, type: 'x' } }));
  };
}
