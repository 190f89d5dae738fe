import { createServer, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';

export * from './llm-scripts.ts';

/** The request fields of the service that scripts use. */
export interface LlmRequestBody extends Record<string, unknown> {
  messages: {
    role: 'system' | 'user' | 'assistant' | 'tool';
    content: unknown;
    tool_calls?: { id: string; function: { name: string; arguments: string } }[];
    tool_call_id?: string;
  }[];
  tools?: { function: { name: string } }[];
  tool_choice?: unknown;
}

/** Plays one answer. */
export type LlmScript = (response: ServerResponse) => void | Promise<void>;

export interface ScriptedLlm extends AsyncDisposable {
  baseUrl: string;
  /** Bodies and authorization headers of the calls so far. */
  calls: { body: LlmRequestBody; authorization: string | undefined }[];
  /** Number of calls that the client closed before they were answered. */
  closedEarly(): number;
  /** Number of calls in progress. */
  inProgress(): number;
}

/** An OpenAI-compatible server on loopback that answers call n with script n (the last one repeats). */
export function startScriptedLlm(...scripts: LlmScript[]): Promise<ScriptedLlm> {
  return startLlm((_body, call) => scripts[Math.min(call, scripts.length - 1)] ?? neverAnswers);
}

/** Like `startScriptedLlm`, with a script chosen by the request; `call` counts from 0. */
export async function startLlm(
  choose: (body: LlmRequestBody, call: number) => LlmScript,
): Promise<ScriptedLlm> {
  const calls: ScriptedLlm['calls'] = [];
  let closedEarly = 0;
  let inProgress = 0;
  const server = createServer((request, response) => {
    const chunks: Buffer[] = [];
    request.on('data', (chunk: Buffer) => chunks.push(chunk));
    response.on('error', () => undefined);
    request.on('end', () => {
      const body = readJson(Buffer.concat(chunks).toString());
      // Not a model call, for example from a client that disconnected before sending the body.
      if (body === null) return void response.writeHead(400).end();
      calls.push({ body, authorization: request.headers.authorization });
      inProgress += 1;
      response.on('close', () => {
        inProgress -= 1;
        closedEarly += response.writableEnded ? 0 : 1;
      });
      const script = choose(body, calls.length - 1);
      Promise.try(script, response).catch((error: unknown) => {
        // A client that disconnects during an answer is not a server failure.
        if (!response.destroyed) throw error;
      });
    });
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  const { port } = server.address() as AddressInfo;
  return {
    baseUrl: `http://127.0.0.1:${port}/v1`,
    calls,
    closedEarly: () => closedEarly,
    inProgress: () => inProgress,
    async [Symbol.asyncDispose]() {
      server.closeAllConnections();
      await new Promise((resolve) => server.close(resolve));
    },
  };
}

/** The service is the only sender; a test that relies on a missing field fails. */
function readJson(text: string): LlmRequestBody | null {
  try {
    return JSON.parse(text) as LlmRequestBody;
  } catch {
    return null;
  }
}

const neverAnswers: LlmScript = () => undefined;

/** Whether the model is offered this tool. */
export function isShownTool(body: LlmRequestBody, name: string): boolean {
  return body.tools?.some((tool) => tool.function.name === name) ?? false;
}

/** The tool results that the model received, in order. */
export function toolResults(body: LlmRequestBody): string[] {
  return body.messages
    .filter(({ role }) => role === 'tool')
    .map(({ content }) => (typeof content === 'string' ? content : JSON.stringify(content)));
}

/** The last user message as text. */
export function lastQuestion(body: LlmRequestBody): string {
  const content = body.messages.findLast(({ role }) => role === 'user')?.content;
  return typeof content === 'string' ? content : JSON.stringify(content ?? null);
}
