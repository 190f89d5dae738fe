import { timingSafeEqual } from 'node:crypto';
import { once } from 'node:events';
import { createServer, type IncomingMessage, type Server, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import { z } from 'zod';
import { signatureHeaders } from '#src/webhooks/sign.ts';
import { parseJson } from './api-failure.ts';
import { type CommandContext, printJson } from './command-context.ts';
import { CommandFailure } from './exit.ts';
import { plainLine } from './terminal.ts';

const HOST = '127.0.0.1';
const MAX_BODY_BYTES = 20_000_000;
/** For clock skew, and for old deliveries that somebody resends. */
const TOLERANCE_SECONDS = 300;

export interface ListenOptions {
  port: number;
  secret?: string;
}

/**
 * A receiver on this machine: prints each delivery and answers 200, or 401 when its signature is wrong. Ends with
 * Ctrl-C.
 * @throws CommandFailure when it cannot listen
 */
export async function listenForWebhooks(
  options: ListenOptions,
  context: CommandContext,
): Promise<void> {
  const { stderr, signal } = context.terminal;
  const server = createServer((request, response) => {
    receive(request, response, options, context).catch(() => response.destroy());
  });
  const port = await listen(server, options.port);
  try {
    stderr.write(
      `Listening on http://${HOST}:${port} until Ctrl-C. The service must run with OUTBOUND_ALLOW_CIDRS=${HOST}/32.\n`,
    );
    if (options.secret === undefined) {
      stderr.write('Without --secret the signatures are not checked.\n');
    }
    if (!signal.aborted) await once(signal, 'abort');
  } finally {
    server.closeAllConnections();
    server.close();
  }
}

async function listen(server: Server, port: number): Promise<number> {
  server.listen(port, HOST);
  try {
    await once(server, 'listening');
  } catch (error) {
    const reason = error instanceof Error ? error.message : String(error);
    throw new CommandFailure(`Cannot listen on port ${port} (${reason}). Take another --port.`);
  }
  return (server.address() as AddressInfo).port; // a listening TCP server has an AddressInfo
}

async function receive(
  request: IncomingMessage,
  response: ServerResponse,
  { secret }: ListenOptions,
  context: CommandContext,
): Promise<void> {
  const body = await readBody(request);
  if (request.method !== 'POST' || body === null) {
    response.writeHead(body === null ? 413 : 405).end();
    return;
  }
  const fault = secret === undefined ? null : faultOf(request, body, secret);
  print(request, body, { isChecked: secret !== undefined, fault }, context);
  response.writeHead(fault === null ? 200 : 401).end();
}

async function readBody(request: IncomingMessage): Promise<string | null> {
  const chunks: Buffer[] = [];
  let bytes = 0;
  for await (const chunk of request) {
    const part = chunk as Buffer; // a request without an encoding yields buffers
    bytes += part.length;
    if (bytes <= MAX_BODY_BYTES) chunks.push(part);
  }
  return bytes > MAX_BODY_BYTES ? null : Buffer.concat(chunks).toString('utf8');
}

/** Why a delivery is not trustworthy; null when it is fresh and both signatures are right. */
function faultOf(request: IncomingMessage, body: string, secret: string): string | null {
  const id = headerOf(request, 'webhook-id');
  const timestamp = headerOf(request, 'webhook-timestamp');
  const timestampSeconds = Number(timestamp);
  if (!/^\d+$/.test(timestamp) || id === '') return 'no webhook-id or webhook-timestamp';
  const expected = signatureHeaders(
    { current: secret, previous: null },
    { id, timestampSeconds, body },
  );
  const signatures = headerOf(request, 'webhook-signature').split(' ');
  if (!signatures.some((one) => isSame(one, expected['webhook-signature']))) {
    return 'webhook-signature does not match';
  }
  const ageSeconds = Math.abs(Date.now() / 1_000 - timestampSeconds);
  if (ageSeconds > TOLERANCE_SECONDS) {
    return `webhook-timestamp is ${Math.round(ageSeconds)} s away`;
  }
  // During a rotation x-signature still uses the old secret: then one matching signature is enough.
  const isRotating = signatures.length > 1;
  const isRight = isSame(headerOf(request, 'x-signature'), expected['x-signature']);
  return isRight || isRotating ? null : 'x-signature does not match';
}

function headerOf(request: IncomingMessage, name: string): string {
  return String(request.headers[name] ?? '');
}

function isSame(given: string, expected = ''): boolean {
  const [a, b] = [Buffer.from(given), Buffer.from(expected)];
  return a.length === b.length && timingSafeEqual(a, b);
}

const envelope = z.object({ id: z.string(), type: z.string(), data: z.unknown() });
const SHOWN_DATA = 300;

/** `12:00:00 verified ping evt_1 {"message":"…"}` */
function print(
  request: IncomingMessage,
  body: string,
  { isChecked, fault }: { isChecked: boolean; fault: string | null },
  context: CommandContext,
): void {
  const event = envelope.safeParse(parseJson(body)).data;
  if (context.wantsJson()) {
    const verified = isChecked ? fault === null : null;
    printJson(context, { verified, fault, event: event ?? null, headers: request.headers });
    return;
  }
  const verdict = isChecked ? (fault === null ? 'verified' : `REFUSED (${fault})`) : 'unchecked';
  const shown = event
    ? `${event.type} ${event.id} ${JSON.stringify(event.data).slice(0, SHOWN_DATA)}`
    : `not an event: ${body.slice(0, SHOWN_DATA)}`;
  const time = new Date().toISOString().slice(11, 19);
  context.terminal.stdout.write(`${time} ${verdict} ${plainLine(shown)}\n`);
}
