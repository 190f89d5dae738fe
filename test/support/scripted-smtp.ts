import { once } from 'node:events';
import { readFileSync } from 'node:fs';
import { createServer, type Server, type Socket } from 'node:net';
import { createServer as createTlsServer, type SecureVersion, TLSSocket } from 'node:tls';
import type { SmtpAct } from './smtp-act.ts';
import { type SmtpSession, talkSmtp } from './smtp-talk.ts';

/** The server's reaction at each step; steps without one succeed. */
export interface SmtpScript {
  greeting?: SmtpStep;
  /** Before STARTTLS. */
  plainEhlo?: SmtpStep;
  /** Within TLS. */
  ehlo?: SmtpStep;
  starttls?: SmtpStep;
  /** The reply to the credentials; the prompts of `AUTH LOGIN` come before. */
  auth?: SmtpStep;
  mail?: SmtpStep;
  rcpt?: SmtpStep;
  data?: SmtpStep;
  /** The reply to the message. */
  content?: SmtpStep;
  quit?: SmtpStep;
  /** Called with each piece of content as it arrives. */
  onContent?: (session: SmtpSession, socket: Socket) => void;
}
export type SmtpStep = SmtpAct | ((session: SmtpSession) => SmtpAct | Promise<SmtpAct>);

export interface ReceivedMail {
  from: string;
  to: string[];
  /** Without the protocol's dot-stuffing. */
  raw: string;
  session: SmtpSession;
}

export interface ScriptedSmtp extends AsyncDisposable {
  /** A loopback address that no other test server uses. */
  readonly address: string;
  readonly port: number;
  readonly sessions: SmtpSession[];
  /** Messages accepted with a 2yz reply. */
  readonly messages: ReceivedMail[];
  readonly openConnections: number;
  script: SmtpScript;
  untilIdle(): Promise<void>;
}

export interface ScriptedSmtpOptions {
  /** Like submission ports, 2525 and 2587 begin in plain text and 2465 with TLS; default 2525. */
  port?: number;
  address?: string;
  /** TLS from the start; by default decided by the port. */
  isImplicit?: boolean;
  script?: SmtpScript;
  certificate?: 'smtp' | 'smtp-expired' | 'localhost';
  tls?: { minVersion?: SecureVersion; maxVersion?: SecureVersion; ciphers?: string };
}

/** A mail server whose every reply the test decides. Its certificate is for smtp.acme.example and *.mail.example. */
export async function startScriptedSmtp(options: ScriptedSmtpOptions = {}): Promise<ScriptedSmtp> {
  const { port = 2525, isImplicit = port === 2465 || port === 465 } = options;
  const secure = {
    key: readPem(options.certificate === 'localhost' ? 'localhost-key' : 'smtp-key'),
    cert: readPem(`${options.certificate ?? 'smtp'}-cert`),
    ...options.tls,
  };
  const open = new Set<Socket>();
  const smtp = {
    port,
    address: '',
    sessions: [] as SmtpSession[],
    messages: [] as ReceivedMail[],
    script: options.script ?? {},
    get openConnections() {
      return open.size;
    },
    async untilIdle() {
      await Promise.all(
        [...open].map((socket) => new Promise((resolve) => socket.once('close', resolve))),
      );
    },
    async [Symbol.asyncDispose]() {
      for (const socket of open) socket.destroy();
      server.close();
      if (server.listening) await once(server, 'close');
    },
  };
  const upgrade = (socket: Socket): TLSSocket =>
    new TLSSocket(socket, { isServer: true, ...secure });
  const serve = (socket: Socket): void => talkSmtp(socket, smtp, upgrade);
  const server: Server = isImplicit ? createTlsServer(secure, serve) : createServer(serve);
  server.on('connection', (socket: Socket) => {
    open.add(socket);
    socket.on('error', () => undefined).on('close', () => open.delete(socket));
  });
  server.on('tlsClientError', () => undefined);
  smtp.address = await listen(server, port, options.address);
  return smtp;
}

const TRIES = 20;

/** Each server has its own address, so that all can use the same few mail ports. */
async function listen(server: Server, port: number, address?: string): Promise<string> {
  for (let attempt = 1; ; attempt += 1) {
    const host = address ?? randomLoopback();
    try {
      server.listen(port, host);
      await once(server, 'listening');
      return host;
    } catch (error) {
      if (attempt === TRIES || address !== undefined) throw error;
    }
  }
}

export function randomLoopback(): string {
  const octet = (): number => 1 + Math.floor(Math.random() * 253);
  return `127.${octet()}.${octet()}.${octet()}`;
}

export function readPem(
  name: 'smtp-cert' | 'smtp-key' | 'smtp-expired-cert' | 'localhost-cert' | 'localhost-key',
): string {
  return readFileSync(new URL(`../fixtures/tls/${name}.pem`, import.meta.url), 'utf8');
}
