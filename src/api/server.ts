import { randomUUID } from 'node:crypto';
import {
  createServer,
  type IncomingMessage,
  type Server,
  type ServerResponse,
  STATUS_CODES,
} from 'node:http';
import type { AddressInfo } from 'node:net';
import type { Duplex } from 'node:stream';
import type Koa from 'koa';
import { Problem, StartError } from '#src/platform/errors.ts';
import type { Services } from '#src/services.ts';
import type { RequestState } from './context.ts';
import { problemBody, STATUS_OF_CODE } from './problem.ts';
import { serializeRequests } from './serialize-requests.ts';

const HEADERS_TIMEOUT_MS = 15_000;
/** Longer than the 60 s of common load balancers, which must be the side that closes an idle connection. */
const KEEP_ALIVE_TIMEOUT_MS = 65_000;
/** How long a client may still send its body after the answer before it is cut off. */
const DRAIN_BODY_MS = 10_000;

/**
 * Time reserved for the final messages of answers before a shutdown reaches its deadline, but never more than half of
 * that: each is saved first, and on a busy machine that takes seconds.
 */
const FINAL_MESSAGE_MS = 3_000;

const NO_TUNNEL = new Problem(
  'METHOD_NOT_ALLOWED',
  'CONNECT is not supported: this is not a proxy.',
);

export interface RunningServer {
  /** With the actual port, because `PORT` 0 takes any free one. */
  readonly url: string;
  /** Accepts no more connections, finishes the requests in progress, and cuts off those left after `deadlineMs`. */
  close(deadlineMs: number): Promise<void>;
}

/** Listens on `HOST` and `PORT`. */
export async function startServer(
  services: Pick<
    Services,
    'answerRuns' | 'config' | 'liveHub' | 'log' | 'messageWatch' | 'scrapeWatch'
  >,
  app: Koa<RequestState>,
): Promise<RunningServer> {
  const { answerRuns, config, liveHub, log, messageWatch, scrapeWatch } = services;
  const inFlight = new Map<Duplex, ServerResponse>();
  let closing = false;
  const answer = app.callback();
  const serve = serializeRequests({
    begin(request, response) {
      inFlight.set(request.socket, response);
      response.once('finish', () => drainBody(request));
      if (closing) response.setHeader('Connection', 'close');
      void answer(request, response);
    },
    end({ socket }) {
      inFlight.delete(socket);
      // An answer that started earlier has told its client that the connection stays open.
      if (closing) socket.end();
    },
  });
  // The application checks Host itself, because Node's own refusal has no body. Bodies have their own deadlines.
  const server = createServer({ requireHostHeader: false, requestTimeout: 0 }, serve);
  server.headersTimeout = HEADERS_TIMEOUT_MS;
  server.keepAliveTimeout = KEEP_ALIVE_TIMEOUT_MS;
  server.on('checkExpectation', serve);
  server.on('connect', (_request, socket) => refuseTunnel(socket));
  server.on('clientError', (error: NodeJS.ErrnoException, socket) => {
    refuseUnreadable(error, socket, inFlight.get(socket));
  });
  await listen(server, config.PORT, config.HOST);
  // A connection that the system cannot hand over, for lack of memory or file descriptors, is lost; the others
  // continue.
  server.on('error', (error) => log.error({ error: error.message }, 'no connection accepted'));
  const url = urlOf(server, config.HOST);
  log.info({ url }, 'listening');

  return {
    url,
    async close(deadlineMs) {
      closing = true;
      // Clients waiting for a worker are told where to look.
      scrapeWatch.stop();
      liveHub.stop();
      messageWatch.stop();
      for (const response of inFlight.values()) {
        if (!response.headersSent) response.setHeader('Connection', 'close');
      }
      // Readers of an answer are told in time that it ends here.
      const warnAfterMs = deadlineMs - Math.min(FINAL_MESSAGE_MS, deadlineMs / 2);
      const warning = setTimeout(() => answerRuns.interrupt(), warnAfterMs);
      await closeServer(server, deadlineMs);
      clearTimeout(warning);
    },
  };
}

function listen(server: Server, port: number, host: string): Promise<void> {
  return new Promise((resolve, reject) => {
    server.once('error', (error) => {
      reject(
        new StartError(
          `Cannot listen on ${host}, port ${port}: ${error.message}. Set HOST and PORT to a free address.`,
          { cause: error },
        ),
      );
    });
    server.listen(port, host, () => {
      server.removeAllListeners('error');
      resolve();
    });
  });
}

function urlOf(server: Server, host: string): string {
  // The address of a listening TCP server is never null or the name of a pipe.
  const { port } = server.address() as AddressInfo;
  const reachable = host === '0.0.0.0' || host === '::' ? 'localhost' : host;
  return `http://${reachable.includes(':') ? `[${reachable}]` : reachable}:${port}`;
}

function closeServer(server: Server, deadlineMs: number): Promise<void> {
  return new Promise((resolve) => {
    const deadline = setTimeout(() => server.closeAllConnections(), deadlineMs);
    server.close(() => {
      clearTimeout(deadline);
      resolve();
    });
    server.closeIdleConnections();
  });
}

/**
 * Reads what the client still sends of a refused body. Closing at once would reset the connection, and the client might
 * lose the answer that explains the refusal.
 */
function drainBody(request: IncomingMessage): void {
  if (request.complete) return;
  const timer = setTimeout(() => request.destroy(), DRAIN_BODY_MS);
  request.once('close', () => clearTimeout(timer));
  request.once('end', () => clearTimeout(timer));
  request.resume();
}

/** Answers a request that Node could not parse as HTTP. */
function refuseUnreadable(
  error: NodeJS.ErrnoException,
  socket: Duplex,
  response: ServerResponse | undefined,
): void {
  if (error.code === 'ECONNRESET' || !socket.writable || response?.headersSent) {
    socket.destroy();
    return;
  }
  const problem =
    error.code === 'HPE_HEADER_OVERFLOW'
      ? new Problem(
          'PAYLOAD_TOO_LARGE',
          'The request line and headers are larger than 16 KB together.',
        )
      : new Problem(
          'BAD_REQUEST',
          `The request is not valid HTTP (${error.code ?? error.message}).`,
        );
  refuse(socket, problem);
}

/** Node no longer manages such a connection: unhandled errors would end the process, and nothing would close it. */
function refuseTunnel(socket: Duplex): void {
  const timer = setTimeout(() => socket.destroy(), DRAIN_BODY_MS);
  socket.on('error', () => socket.destroy());
  socket.once('close', () => clearTimeout(timer));
  refuse(socket, NO_TUNNEL);
  socket.resume();
}

/** Sends an answer without the application, with the common error body. */
function refuse(socket: Duplex, problem: Problem): void {
  const requestId = randomUUID();
  const body = JSON.stringify(problemBody(problem, requestId));
  const status = STATUS_OF_CODE[problem.code];
  socket.end(
    [
      `HTTP/1.1 ${status} ${STATUS_CODES[status] ?? ''}`,
      `X-Request-Id: ${requestId}`,
      'Content-Type: application/json; charset=utf-8',
      `Content-Length: ${Buffer.byteLength(body)}`,
      'Connection: close',
      '',
      body,
    ].join('\r\n'),
  );
}
