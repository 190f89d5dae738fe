import { createServer, type IncomingMessage, type ServerResponse } from 'node:http';
import { once } from 'node:events';
import type { AddressInfo } from 'node:net';
import { PassThrough, Readable } from 'node:stream';
import { mkdtempSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { runCommandLine } from '#src/cli/program.ts';

/** A request as the fake service received it. */
export interface SeenRequest {
  method: string;
  url: string;
  authorization: string | undefined;
  body: unknown;
}

/** Its response; `text` is sent unchanged, `json` as JSON. */
export interface FakeAnswer {
  status?: number;
  headers?: Record<string, string>;
  json?: unknown;
  text?: string;
  /** Closes the connection instead of responding. */
  hangUp?: boolean;
}

export interface FakeService extends AsyncDisposable {
  url: string;
  requests: SeenRequest[];
}

/** A scripted HTTP server in place of Millrace. */
export async function startFakeService(
  answer: (request: SeenRequest) => FakeAnswer,
): Promise<FakeService> {
  const requests: SeenRequest[] = [];
  const respond = async (incoming: IncomingMessage, outgoing: ServerResponse): Promise<void> => {
    const chunks: Buffer[] = [];
    for await (const chunk of incoming) chunks.push(chunk as Buffer); // without an encoding, a request yields buffers
    const text = Buffer.concat(chunks).toString();
    const request: SeenRequest = {
      method: incoming.method ?? '',
      url: incoming.url ?? '',
      authorization: incoming.headers.authorization,
      body: text === '' ? null : JSON.parse(text),
    };
    requests.push(request);
    const { status = 200, headers = {}, json, text: body, hangUp = false } = answer(request);
    if (hangUp) {
      incoming.socket.destroy();
      return;
    }
    outgoing.writeHead(status, { 'content-type': 'application/json', ...headers });
    outgoing.end(body ?? JSON.stringify(json ?? {}));
  };
  const server = createServer((incoming, outgoing) => {
    // A client that disconnects in the middle of its request is not a server failure.
    respond(incoming, outgoing).catch(() => outgoing.destroy());
  });
  // On a busy machine clients are slow. A connection closed between two requests would cause a retry and a message.
  server.keepAliveTimeout = 600_000;
  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
  return {
    // a server that listens on TCP has an AddressInfo
    url: `http://127.0.0.1:${(server.address() as AddressInfo).port}`,
    requests,
    async [Symbol.asyncDispose]() {
      server.closeAllConnections();
      server.close();
      await once(server, 'close');
    },
  };
}

export interface CommandRun {
  code: number;
  stdout: string;
  stderr: string;
  /** Delays between tries in milliseconds; the command does not really wait. */
  waits: number[];
}

export interface CommandSetting {
  url?: string;
  /** Undefined: no key is set. Absent: a key that the service accepts. */
  key?: string | undefined;
  dataDir?: string;
  stdin?: string;
  workingFolder?: string;
  /** Called at each wait; may abort. */
  onWait?: (interrupt: AbortController) => void;
}

/** Runs one command line against a service, without waiting between tries. */
export async function runCommand(
  words: string[],
  setting: CommandSetting = {},
): Promise<CommandRun> {
  const stdout = new PassThrough();
  const stderr = new PassThrough();
  const interrupt = new AbortController();
  const waits: number[] = [];
  const code = await runCommandLine(words, {
    terminal: {
      stdin: Readable.from([Buffer.from(setting.stdin ?? '')]),
      stdout,
      stderr,
      signal: interrupt.signal,
      workingFolder: setting.workingFolder ?? makeFolder(),
    },
    settings: {
      MILLRACE_URL: setting.url,
      MILLRACE_API_KEY: 'key' in setting ? setting.key : 'secret-key',
      DATA_DIR: setting.dataDir ?? makeFolder(),
    },
    version: '1.2.3',
    wait: (delayMs, signal) => {
      waits.push(delayMs);
      setting.onWait?.(interrupt);
      signal.throwIfAborted();
      return Promise.resolve();
    },
  });
  stdout.end();
  stderr.end();
  const read = (stream: PassThrough): string => String(stream.read() ?? '');
  return { code, stdout: read(stdout), stderr: read(stderr), waits };
}

/** Creates an empty folder in the temporary folder, which is removed when the run ends. */
export function makeFolder(): string {
  return mkdtempSync(join(tmpdir(), 'millrace-cli-'));
}
