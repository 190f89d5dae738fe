import type { Socket } from 'node:net';
import { Readable } from 'node:stream';
import { pipeline } from 'node:stream/promises';

export const FAKE_USERNAME = 'ann@example.com';

export interface FakeMessage {
  uid: number;
  source: string;
  arrivedAt: Date;
}

export interface FakeMailbox {
  flags: string;
  uidValidity: number;
  messages: FakeMessage[];
  /** UIDs are never reused. */
  nextUid: number;
}

export interface FakeImapState {
  mailboxes: Map<string, FakeMailbox>;
  password: string;
  /** Commands in upper case, without their tags. */
  log: string[];
  /** What the server does instead of answering a command; null: it answers. */
  fault: (
    command: string,
  ) => 'hang' | 'drop' | { answer: string } | { untagged: Iterable<string> } | null;
}

/**
 * An IMAP4rev1 server, as much of it as reading takes: CAPABILITY, LOGIN, LIST, LSUB, EXAMINE, UID SEARCH, UID FETCH,
 * NOOP and LOGOUT.
 *
 * https://www.rfc-editor.org/rfc/rfc3501, https://www.rfc-editor.org/rfc/rfc6154, https://www.rfc-editor.org/rfc/rfc5530
 */
export function serveImap(socket: Socket, state: FakeImapState): void {
  let buffered = Buffer.alloc(0);
  let opened: FakeMailbox | null = null;
  socket.write('* OK [CAPABILITY IMAP4rev1 SPECIAL-USE] Ready.\r\n');
  socket.on('data', (bytes: Buffer) => {
    buffered = Buffer.concat([buffered, bytes]);
    for (;;) {
      const read = readCommand(buffered);
      if (read === null) return;
      if (read === 'continue') {
        socket.write('+ Go ahead.\r\n');
        return;
      }
      buffered = buffered.subarray(read.end);
      const [tag = '*', ...words] = read.words;
      const command = words.join(' ').toUpperCase();
      state.log.push(command.startsWith('LOGIN') ? 'LOGIN' : command);
      const fault = state.fault(command);
      if (fault === 'drop') socket.destroy();
      else if (fault === null) {
        const answer = answerCommand(words, state, opened);
        if (answer.opened !== undefined) ({ opened } = answer);
        socket.write(
          Buffer.concat([...answer.untagged, Buffer.from(`${tag} ${answer.result}\r\n`)]),
        );
        if (command === 'LOGOUT') socket.end();
      } else if (fault !== 'hang' && 'untagged' in fault) {
        // The client ends the connection.
        pipeline(Readable.from(fault.untagged), socket, { end: false }).catch(() => undefined);
      } else if (fault !== 'hang') socket.write(`${tag} ${fault.answer}\r\n`);
    }
  });
}

/** Parses a line with its quoted strings and literals; `continue` when a literal is still missing. */
function readCommand(buffer: Buffer): { words: string[]; end: number } | 'continue' | null {
  const words: string[] = [];
  let at = 0;
  for (;;) {
    const lineEnd = buffer.indexOf('\r\n', at);
    if (lineEnd < 0) return null;
    const line = buffer.toString('utf8', at, lineEnd);
    const literal = /\{(\d+)\}$/.exec(line);
    const text = literal ? line.slice(0, literal.index) : line;
    for (const [, quoted, group, atom] of text.matchAll(
      /"((?:[^"\\]|\\.)*)"|(\((?:[^()]|\([^()]*\))*\))|([^\s"]+)/g,
    )) {
      words.push(quoted?.replaceAll(/\\(.)/g, '$1') ?? group ?? atom ?? '');
    }
    at = lineEnd + 2;
    if (!literal) return { words, end: at };
    const length = Number(literal[1]);
    if (buffer.length < at + length) return 'continue';
    words.push(buffer.toString('utf8', at, at + length));
    at += length;
  }
}

interface Answer {
  untagged: Buffer[];
  result: string;
  opened?: FakeMailbox | null;
}

function answerCommand(words: string[], state: FakeImapState, opened: FakeMailbox | null): Answer {
  const [first = '', second = '', third = ''] = words;
  const plain = (lines: string[], result: string): Answer => ({
    untagged: lines.map((line) => Buffer.from(`* ${line}\r\n`)),
    result,
  });
  switch (first.toUpperCase()) {
    case 'CAPABILITY':
      return plain(['CAPABILITY IMAP4rev1 SPECIAL-USE'], 'OK Done.');
    case 'LOGIN':
      return second === FAKE_USERNAME && third === state.password
        ? plain([], 'OK Signed in.')
        : plain([], 'NO [AUTHENTICATIONFAILED] Invalid credentials (Failure)');
    case 'NOOP':
      return plain([], 'OK Done.');
    case 'LOGOUT':
      return plain(['BYE Bye.'], 'OK Done.');
    case 'LSUB':
      return plain([], 'OK Done.');
    case 'LIST':
      return plain(
        third === ''
          ? ['LIST (\\Noselect) "/" ""']
          : [...state.mailboxes].map(([path, { flags }]) => `LIST (${flags}) "/" "${path}"`),
        'OK Done.',
      );
    case 'EXAMINE': {
      const mailbox = state.mailboxes.get(second);
      if (!mailbox || mailbox.flags.includes('\\Noselect')) {
        return { ...plain([], `NO [NONEXISTENT] Unknown mailbox: ${second}`), opened: null };
      }
      const { messages, uidValidity, nextUid } = mailbox;
      const lines = [
        `${messages.length} EXISTS`,
        '0 RECENT',
        'FLAGS (\\Seen)',
        `OK [UIDVALIDITY ${uidValidity}] Valid`,
        `OK [UIDNEXT ${nextUid}] Next`,
      ];
      return { ...plain(lines, 'OK [READ-ONLY] Done.'), opened: mailbox };
    }
    case 'UID':
      if (opened === null) return plain([], 'BAD No mailbox is open.');
      return second.toUpperCase() === 'SEARCH'
        ? search(words.slice(2), opened)
        : fetch(words.slice(2), opened);
    default:
      return plain([], `BAD Unknown command ${first}.`);
  }
}

function search(words: string[], { messages }: FakeMailbox): Answer {
  let found = messages;
  for (let at = 0; at < words.length; at += 1) {
    const key = words[at]?.toUpperCase();
    if (key === 'UID') {
      at += 1;
      const named = new Set(withUids(words[at] ?? '', messages));
      found = found.filter((message) => named.has(message));
    } else if (key === 'SINCE') {
      at += 1;
      const since = Date.parse(`${words[at]} UTC`);
      found = found.filter(({ arrivedAt }) => arrivedAt.getTime() >= since);
    } else if (key === 'HEADER') {
      at += 2;
      const value = words[at] ?? '';
      found = found.filter(({ source }) => headOf(source).includes(value));
    } else if (key !== 'ALL') {
      return { untagged: [], result: `BAD Unknown search key ${key}.` };
    }
  }
  const uids = found.map(({ uid }) => ` ${uid}`).join('');
  return { untagged: [Buffer.from(`* SEARCH${uids}\r\n`)], result: 'OK Done.' };
}

function fetch([set = '', items = '']: string[], { messages }: FakeMailbox): Answer {
  const section = /BODY\.PEEK\[(.*?)\](<0)?/i.exec(items);
  const untagged = withUids(set, messages).flatMap(({ uid, source, arrivedAt }) => {
    const head = `* ${firstAtLeast(messages, uid) + 1} FETCH (UID ${uid} RFC822.SIZE ${Buffer.byteLength(source)} INTERNALDATE "${internalDate(arrivedAt)}"`;
    if (!section) return [Buffer.from(`${head})\r\n`)];
    const isWhole = section[1] === '';
    const field = /^message-id:.*\r\n/im.exec(headOf(source));
    const body = Buffer.from(isWhole ? source : `${field?.[0] ?? ''}\r\n`);
    const name = isWhole ? 'BODY[]<0>' : 'BODY[HEADER.FIELDS (MESSAGE-ID)]';
    return [Buffer.from(`${head} ${name} {${body.length}}\r\n`), body, Buffer.from(')\r\n')];
  });
  return { untagged, result: 'OK Done.' };
}

/** `a:*` also includes the last message when its UID is below a. */
function withUids(set: string, messages: readonly FakeMessage[]): FakeMessage[] {
  const last = messages.at(-1)?.uid ?? 0;
  const numberOf = (text: string): number => (text === '*' ? last : Number(text));
  return set.split(',').flatMap((part) => {
    const [from = '', to = from] = part.split(':');
    const ends = [numberOf(from), numberOf(to)];
    const start = firstAtLeast(messages, Math.min(...ends));
    return messages.slice(start, firstAtLeast(messages, Math.max(...ends) + 1));
  });
}

/** Binary search, as UIDs ascend. */
function firstAtLeast(messages: readonly FakeMessage[], uid: number): number {
  let [low, high] = [0, messages.length];
  while (low < high) {
    const middle = Math.floor((low + high) / 2);
    if ((messages[middle]?.uid ?? 0) < uid) low = middle + 1;
    else high = middle;
  }
  return low;
}

function internalDate(date: Date): string {
  const [, day = '', month = '', year = '', time = ''] =
    /, (\d+) (\w+) (\d+) ([\d:]+)/.exec(date.toUTCString()) ?? [];
  return `${day}-${month}-${year} ${time} +0000`;
}

function headOf(source: string): string {
  return source.slice(0, source.indexOf('\r\n\r\n') + 2);
}
