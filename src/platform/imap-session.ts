import { isIP } from 'node:net';
import type { ImapFlow, ListResponse, SearchObject } from 'imapflow';
import { ImapFailure, imapFailureOf } from './imap-failure.ts';
import { messageIdOf } from './mail-header.ts';
import { OutboundError, type OutboundGuard } from './outbound.ts';
import type { OutboundReach } from './outbound-guard.ts';

const CONNECT_TIMEOUT_MS = 20_000;
/** Shorter than the deadline of an administrator's check, so that the check can report the cause. */
export const GREETING_TIMEOUT_MS = 10_000;
/** Deadline of a command and its whole response. */
const COMMAND_TIMEOUT_MS = 60_000;
const MAX_LINE_BYTES = 16 * 1024 * 1024;
const MAX_LITERAL_BYTES = 64 * 1024 * 1024;
/**
 * Limit of the response to one command: a message of 25 MB, or the UIDs of a mailbox. The library keeps it in memory.
 */
const MAX_ANSWER_BYTES = 32 * 1024 * 1024;
const ANSWER_CHECK_MS = 50;

export interface ImapAddress {
  host: string;
  port: number;
  /** False for STARTTLS (RFC 3501 section 6.2.1). */
  useTls: boolean;
  username: string;
  password: string;
}

export interface ImapMailbox {
  path: string;
  isSelectable: boolean;
  /** `\Trash`, `\Junk`, `\All` … (RFC 6154); null for ordinary mailboxes. */
  specialUse: string | null;
}

export interface MessageSummary {
  uid: number;
  bytes: number;
  arrivedAt: Date | null;
  messageId: string | null;
}

export interface MessageHeader {
  uid: number;
  bytes: number;
  /** The requested fields as received, one character per byte. */
  header: string;
}

/** A signed-in connection. Throws only an `ImapFailure` or the signal's reason. */
export interface ImapSession extends AsyncDisposable {
  mailboxes(): Promise<ImapMailbox[]>;
  /**
   * Opens a mailbox read-only. `highestUid` is the highest ever assigned, 0 when unknown.
   * @throws ImapFailure `refused` when there is no such mailbox
   */
  open(path: string): Promise<{ uidValidity: string; highestUid: number }>;
  /** UIDs above `after` in the open mailbox, ascending; `since` compares the day of arrival. */
  searchUids(after: number, since: Date | null): Promise<number[]>;
  /** UIDs in the open mailbox, ascending; rarely more than one. */
  searchMessageId(messageId: string): Promise<number[]>;
  /** In ascending order; omits messages that are gone by now. */
  describe(uids: readonly number[]): Promise<MessageSummary[]>;
  /** These header fields and the size, in ascending order; omits messages that are gone by now. */
  headers(uids: readonly number[], fields: readonly string[]): Promise<MessageHeader[]>;
  /** The message up to `maxBytes`, without marking it as read; null when it is gone by now. */
  source(uid: number, maxBytes: number): Promise<Uint8Array | null>;
}

interface Circumstances {
  guard: OutboundGuard;
  /** The hosts that may be reached; only public ones by default. */
  reach?: OutboundReach;
  signal: AbortSignal;
}

/**
 * Connects to an address that the guard allows, and to no other; the certificate must match the host name.
 * https://www.rfc-editor.org/rfc/rfc3501
 * @param options `allowPlaintext`: for test servers, which have no TLS
 */
export async function openImapSession(
  address: ImapAddress,
  circumstances: Circumstances,
  options: { allowPlaintext: boolean },
): Promise<ImapSession> {
  const { signal } = circumstances;
  const client = await createClient(
    address,
    await vettedAddress(address.host, circumstances),
    options.allowPlaintext,
  );
  const run: Run = (work) => runBounded(client, address, signal, work);
  try {
    await run(() => client.connect());
  } catch (error) {
    client.close();
    throw error;
  }
  return {
    ...commands(client, async (work) => {
      // On a closed connection the library answers some commands with "nothing found".
      requireUsable(client);
      const answer = await run(work);
      requireUsable(client);
      return answer;
    }),
    async [Symbol.asyncDispose]() {
      if (!signal.aborted && client.usable) await run(() => client.logout()).catch(() => undefined);
      client.close();
    },
  };
}

function requireUsable(client: ImapFlow): void {
  if (!client.usable) throw new ImapFailure('closed', client.byeReason || '');
}

async function createClient(
  address: ImapAddress,
  ip: string,
  allowPlaintext: boolean,
): Promise<ImapFlow> {
  // A hundred modules, which a service without mailboxes never needs.
  const { ImapFlow: Client } = await import('imapflow');
  const client = new Client({
    host: ip,
    port: address.port,
    secure: address.useTls,
    // No server name is an IP address (RFC 6066 section 3); the certificate must then match the address.
    ...(isIP(address.host) === 0 && { servername: address.host }),
    ...(!address.useTls && { doSTARTTLS: !allowPlaintext }),
    auth: { user: address.username, pass: address.password },
    logger: false,
    disableAutoIdle: true,
    disableCompression: true,
    connectionTimeout: CONNECT_TIMEOUT_MS,
    greetingTimeout: GREETING_TIMEOUT_MS,
    socketTimeout: COMMAND_TIMEOUT_MS,
    maxLineLength: MAX_LINE_BYTES,
    maxLiteralSize: MAX_LITERAL_BYTES,
  });
  // Each command reports its own failure; an event without a listener would end the process.
  client.on('error', () => undefined);
  return client;
}

type Run = <T>(work: () => Promise<T>) => Promise<T>;

function commands(client: ImapFlow, run: Run): Omit<ImapSession, typeof Symbol.asyncDispose> {
  const search = async (query: SearchObject): Promise<number[]> => {
    const found = await run(() => client.search(query, { uid: true }));
    if (Array.isArray(found)) return found.toSorted((left, right) => left - right);
    throw new ImapFailure('stopped', 'did not search the mailbox');
  };
  return {
    async mailboxes() {
      // On a refusal the library returns another type than it declares.
      const found: unknown = await run(() => client.list());
      if (!Array.isArray(found)) throw new ImapFailure('stopped', 'did not list its mailboxes');
      return (found as ListResponse[]).map(({ path, flags, specialUse, specialUseSource }) => ({
        path,
        isSelectable: !flags.has('\\Noselect') && !flags.has('\\NonExistent'),
        // The name alone ("Trash", "Papierkorb") is enough, except for a mailbox that stands for all others.
        specialUse:
          specialUse === '\\All' && specialUseSource === 'name' ? null : (specialUse ?? null),
      }));
    },
    async open(path) {
      const mailbox = await run(() => client.mailboxOpen(path, { readOnly: true }));
      // The library's types promise UIDNEXT, but old servers do not send it.
      const highestUid = Math.max(0, (mailbox.uidNext || 1) - 1);
      return { uidValidity: String(mailbox.uidValidity), highestUid };
    },
    async searchUids(after, since) {
      // `n:*` also matches the last message when its UID is below n (RFC 3501 section 9, seq-range).
      const found = await search({ uid: `${after + 1}:*`, ...(since !== null && { since }) });
      return found.filter((uid) => uid > after);
    },
    searchMessageId: (messageId) => search({ header: { 'message-id': messageId } }),
    ...messageCommands(client, run),
  };
}

function messageCommands(
  client: ImapFlow,
  run: Run,
): Pick<ImapSession, 'describe' | 'headers' | 'source'> {
  return {
    async describe(uids) {
      if (uids.length === 0) return [];
      const query = { uid: true, size: true, internalDate: true, headers: ['message-id'] };
      const found = await run(() => client.fetchAll(uids.join(','), query, { uid: true }));
      const summaries = found.map(({ uid, size, internalDate, headers }) => ({
        uid,
        bytes: size ?? 0,
        arrivedAt: dateOf(internalDate),
        messageId: messageIdOf(headers?.toString('latin1') ?? ''),
      }));
      return summaries.toSorted((left, right) => left.uid - right.uid);
    },
    async headers(uids, fields) {
      if (uids.length === 0) return [];
      const query = { uid: true, size: true, headers: [...fields] };
      const found = await run(() => client.fetchAll(uids.join(','), query, { uid: true }));
      const headers = found.map(({ uid, size, headers: bytes }) => ({
        uid,
        bytes: size ?? 0,
        header: bytes?.toString('latin1') ?? '',
      }));
      return headers.toSorted((left, right) => left.uid - right.uid);
    },
    async source(uid, maxBytes) {
      const query = { uid: true, source: { maxLength: maxBytes } };
      const found = await run(() => client.fetchOne(String(uid), query, { uid: true }));
      return found ? (found.source ?? null) : null;
    },
  };
}

async function vettedAddress(
  host: string,
  { guard, reach = 'public', signal }: Circumstances,
): Promise<string> {
  try {
    const [first] = await guard.addressesOf(host, reach);
    if (first) return first.address;
  } catch (error) {
    signal.throwIfAborted();
    const options = { cause: error };
    if (!(error instanceof OutboundError)) throw new ImapFailure('unresolved', '', options);
    const kind = error.kind === 'refused' ? 'host_refused' : 'host_unavailable';
    throw new ImapFailure(kind, error.message, options);
  }
  throw new ImapFailure('stopped', 'has no address');
}

async function runBounded<T>(
  client: ImapFlow,
  address: ImapAddress,
  signal: AbortSignal,
  work: () => Promise<T>,
): Promise<T> {
  signal.throwIfAborted();
  const deadline = AbortSignal.timeout(COMMAND_TIMEOUT_MS);
  const ended = AbortSignal.any([signal, deadline]);
  const stop = Promise.withResolvers<never>();
  const end = (reason: string): void => {
    stop.reject(new ImapFailure('stopped', reason));
    client.close();
  };
  const onEnd = (): void => end(`did not answer within ${COMMAND_TIMEOUT_MS / 1_000} s`);
  ended.addEventListener('abort', onEnd, { once: true });
  const before = client.stats().received;
  const watch = setInterval(() => {
    if (client.stats().received - before > MAX_ANSWER_BYTES) {
      end(`answered with more than ${MAX_ANSWER_BYTES / 1024 / 1024} MB`);
    }
  }, ANSWER_CHECK_MS);
  try {
    return await Promise.race([work(), stop.promise]);
  } catch (error) {
    signal.throwIfAborted();
    throw imapFailureOf(error, address);
  } finally {
    clearInterval(watch);
    ended.removeEventListener('abort', onEnd);
  }
}

function dateOf(value: Date | string | undefined): Date | null {
  const date = new Date(value ?? '');
  return Number.isNaN(date.getTime()) ? null : date;
}
