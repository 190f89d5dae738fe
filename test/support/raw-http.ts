import { request as openRequest } from 'node:http';
import net from 'node:net';

/** A response as received. */
export interface RawAnswer {
  status: number;
  /** Lower-case names; the last value wins. */
  headers: Record<string, string>;
  body: string;
}

export interface WireRequest {
  method: string;
  /** Sent unchanged: not normalized, not encoded. */
  path: string;
  /** Name, value, name, value: names may repeat. */
  headers: string[];
  body: Buffer | null;
}

/** Sends a request that no well-behaved client would send. @throws when no response comes within a minute */
export function send(
  url: string,
  { method, path, headers, body }: WireRequest,
): Promise<RawAnswer> {
  const { hostname, port } = new URL(url);
  return new Promise((resolve, reject) => {
    const outgoing = openRequest(
      {
        hostname,
        port,
        method,
        path,
        headers: ['Host', hostname, ...headers],
        agent: false,
        signal: AbortSignal.timeout(60_000),
      },
      (response) => {
        const chunks: Buffer[] = [];
        response.on('data', (chunk: Buffer) => chunks.push(chunk));
        response.on('error', reject);
        response.on('end', () =>
          resolve({
            status: response.statusCode ?? 0,
            headers: response.headers as Record<string, string>, // only Set-Cookie is a list
            body: Buffer.concat(chunks).toString('utf8'),
          }),
        );
      },
    );
    outgoing.on('error', reject);
    outgoing.end(body ?? undefined);
  });
}

export interface Exchange {
  /** What the server sent until it closed the connection or `untilMs` had passed. */
  text: string;
  answers: RawAnswer[];
  closedByServer: boolean;
}

/**
 * Writes the parts to a new connection one after the other and reads the responses: `count` complete ones, or all until
 * the server closes the connection.
 */
export function exchange(
  url: string,
  parts: readonly (string | Buffer)[],
  {
    count = Infinity,
    untilMs = 3_000,
    leave = false,
  }: { count?: number; untilMs?: number; leave?: boolean } = {},
): Promise<Exchange> {
  const { hostname, port } = new URL(url);
  return new Promise((resolve) => {
    const chunks: Buffer[] = [];
    const socket = net.connect(Number(port), hostname, () => {
      for (const part of parts) socket.write(part);
      if (leave) socket.end();
    });
    const timer = setTimeout(() => finish(false), untilMs);
    const finish = (closedByServer: boolean): void => {
      clearTimeout(timer);
      socket.destroy();
      const text = Buffer.concat(chunks).toString('utf8');
      resolve({ text, answers: parseAnswers(text), closedByServer });
    };
    socket.on('data', (chunk) => {
      chunks.push(chunk);
      const answers = parseAnswers(Buffer.concat(chunks).toString('utf8'));
      if (answers.filter(isWhole).length >= count) finish(false);
    });
    socket.on('error', () => finish(true));
    socket.on('end', () => finish(true));
  });
}

const isWhole = ({ headers, body }: RawAnswer): boolean =>
  Buffer.byteLength(body) >= Number(headers['content-length'] ?? 0);

/** Parses consecutive responses that have a `Content-Length`. */
function parseAnswers(text: string): RawAnswer[] {
  const answers: RawAnswer[] = [];
  let rest = text;
  for (let head = rest.indexOf('\r\n\r\n'); head !== -1; head = rest.indexOf('\r\n\r\n')) {
    const [statusLine = '', ...lines] = rest.slice(0, head).split('\r\n');
    const headers = Object.fromEntries(
      lines.map((line) => {
        const colon = line.indexOf(':');
        return [line.slice(0, colon).toLowerCase(), line.slice(colon + 1).trim()];
      }),
    );
    const end = head + 4 + Number(headers['content-length'] ?? 0);
    answers.push({
      status: Number(statusLine.split(' ')[1]),
      headers,
      body: rest.slice(head + 4, end),
    });
    rest = rest.slice(end);
  }
  return answers;
}
