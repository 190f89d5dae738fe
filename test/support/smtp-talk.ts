import type { Socket } from 'node:net';
import { TLSSocket } from 'node:tls';
import type { ReceivedMail, SmtpScript, SmtpStep } from './scripted-smtp.ts';
import { play, type SmtpAct } from './smtp-act.ts';

/** One connection as the server saw it. */
export interface SmtpSession {
  /** In order, without the credentials of `AUTH`. */
  readonly commands: string[];
  isSecure: boolean;
  tlsVersion: string | null;
  /** The server name that the client requested in the handshake. */
  servername: string | null;
  user: string | null;
  password: string | null;
  /** Whether the credentials came without TLS. */
  sentPasswordInClear: boolean;
  /** Bytes after the 354 reply, including the end of the message. */
  contentBytes: number;
}

interface Book {
  script: SmtpScript;
  sessions: SmtpSession[];
  messages: ReceivedMail[];
}

const PLAIN_EHLO = '250-smtp.acme.example\n250-PIPELINING\n250 STARTTLS';
const SECURE_EHLO = '250-smtp.acme.example\n250-PIPELINING\n250-SIZE 1000000\n250 AUTH PLAIN LOGIN';

/** Serves one connection according to the script. */
export function talkSmtp(first: Socket, book: Book, upgrade: (socket: Socket) => TLSSocket): void {
  const session: SmtpSession = {
    commands: [],
    isSecure: false,
    tlsVersion: null,
    servername: null,
    user: null,
    password: null,
    sentPasswordInClear: false,
    contentBytes: 0,
  };
  book.sessions.push(session);
  let socket = first;
  let received = '';
  /** Whether a message rather than a line is expected next. */
  let isInContent = false;
  let waiting: ((text: string) => void) | null = null;
  const give = (): void => {
    const end = received.indexOf(isInContent ? '\r\n.\r\n' : '\r\n');
    if (waiting === null || end === -1) return;
    const text = received.slice(0, end);
    received = received.slice(end + (isInContent ? 5 : 2));
    const resolve = waiting;
    waiting = null;
    resolve(text);
  };
  const read = (what: 'line' | 'content'): Promise<string> =>
    new Promise((resolve) => {
      isInContent = what === 'content';
      waiting = resolve;
      give();
    });
  const onData = (chunk: Buffer): void => {
    received += chunk.toString('latin1');
    if (isInContent) {
      session.contentBytes += chunk.length;
      book.script.onContent?.(session, socket);
    }
    give();
  };
  const listen = (next: Socket): void => {
    socket = next;
    socket.on('data', onData).on('error', () => undefined);
    if (socket instanceof TLSSocket) noteTls(session, socket);
  };
  listen(first);
  const line: Line = {
    session,
    book,
    read,
    act: async (step, otherwise) => {
      const act = typeof step === 'function' ? await step(session) : step;
      await play(socket, act === undefined ? otherwise : act);
      return act === undefined ? otherwise : act;
    },
    startTls: () => {
      socket.removeListener('data', onData);
      const secure = upgrade(socket);
      secure.once('secure', () => noteTls(session, secure));
      listen(secure);
    },
  };
  converse(line).catch(() => socket.destroy());
}

interface Line {
  session: SmtpSession;
  book: Book;
  read(what: 'line' | 'content'): Promise<string>;
  act(step: SmtpStep | undefined, otherwise: SmtpAct): Promise<SmtpAct>;
  startTls(): void;
}

async function converse(line: Line): Promise<void> {
  const { session, book } = line;
  const mail = { from: '', to: [] as string[] };
  await line.act(book.script.greeting, '220 smtp.acme.example ready');
  for (;;) {
    const command = await line.read('line');
    const { script } = book;
    const verb = command.slice(0, 4).toUpperCase();
    session.commands.push(verb === 'AUTH' ? command.split(' ', 2).join(' ') : command);
    if (verb === 'EHLO' || verb === 'HELO') {
      if (session.isSecure) await line.act(script.ehlo, SECURE_EHLO);
      else await line.act(script.plainEhlo, PLAIN_EHLO);
    } else if (verb === 'STAR') {
      if (begins(await line.act(script.starttls, '220 go ahead'), '220')) line.startTls();
    } else if (verb === 'AUTH') {
      await readCredentials(line, command);
      await line.act(script.auth, '235 welcome');
    } else if (verb === 'MAIL') {
      mail.from = /<(.*)>/.exec(command)?.[1] ?? '';
      mail.to = [];
      await line.act(script.mail, '250 sender ok');
    } else if (verb === 'RCPT') {
      if (begins(await line.act(script.rcpt, '250 recipient ok'), '2')) {
        mail.to.push(/<(.*)>/.exec(command)?.[1] ?? '');
      }
    } else if (verb === 'DATA') {
      const fallback = mail.to.length > 0 ? '354 go ahead' : '503 no recipients';
      if (!begins(await line.act(script.data, fallback), '354')) continue;
      const raw = (await line.read('content')).replaceAll(/^\.\./gm, '.');
      const taken = { ...mail, raw, session };
      if (begins(await line.act(script.content, '250 taken'), '2')) book.messages.push(taken);
    } else {
      await line.act(verb === 'QUIT' ? script.quit : undefined, {
        kind: 'drop',
        say: verb === 'QUIT' ? '221 bye\r\n' : '500 what\r\n',
      });
    }
  }
}

async function readCredentials(line: Line, command: string): Promise<void> {
  const { session } = line;
  const [, method, initial] = command.split(' ');
  session.sentPasswordInClear ||= !session.isSecure;
  if (method?.toUpperCase() === 'LOGIN') {
    await line.act('334 VXNlcm5hbWU6', null);
    session.user = decode(await line.read('line'));
    await line.act('334 UGFzc3dvcmQ6', null);
    session.password = decode(await line.read('line'));
    return;
  }
  const [, user = '', password = ''] = decode(initial ?? '').split('\0');
  session.user = user;
  session.password = password;
}

function decode(base64: string): string {
  return Buffer.from(base64, 'base64').toString('utf8');
}

/** Whether an act replies with this code, also when it is sent byte by byte. */
function begins(act: SmtpAct, code: string): boolean {
  if (act === null) return false;
  if (typeof act === 'string') return act.startsWith(code);
  switch (act.kind) {
    case 'drip':
      return act.say.startsWith(code);
    case 'raw':
      return act.bytes.toString().startsWith(code);
    case 'drop':
    case 'flood':
      return false;
  }
}

function noteTls(session: SmtpSession, socket: TLSSocket): void {
  session.isSecure = true;
  session.tlsVersion = socket.getProtocol();
  // For a server socket this is the name that the client requested, or false.
  session.servername = Reflect.get(socket, 'servername') || null;
}
