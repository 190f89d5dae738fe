import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { createInboxes } from '#src/email/bounces/open-inboxes.ts';
import type { InboxSettings } from '#src/email/bounces/inbox.ts';
import { openPop3Session } from '#src/email/bounces/pop3-session.ts';
import { createOutboundGuard } from '#src/platform/outbound-guard.ts';
import { type Pop3Script, startScriptedPop3 } from '#test/support/scripted-pop3.ts';
import { readPem } from '#test/support/scripted-smtp.ts';

const NEVER = new AbortController().signal;
const HOST = 'pop3.mail.example';
const guard = createOutboundGuard({
  allowCidrs: ['127.0.0.0/8'],
  resolve: (host) =>
    host === HOST
      ? Promise.resolve([{ address: '127.0.0.1', family: 4 }])
      : Promise.reject(Object.assign(new Error('no'), { code: 'ENOTFOUND' })),
});

let opened: AsyncDisposableStack;
beforeEach(() => {
  opened = new AsyncDisposableStack();
});
afterEach(() => opened.disposeAsync());

async function open(
  script: Pop3Script,
  { signal = NEVER, ...fields }: { signal?: AbortSignal; host?: string; password?: string } = {},
) {
  const server = opened.use(await startScriptedPop3(script));
  const settings = {
    host: HOST,
    port: server.port,
    useTls: script.useTls ?? true,
    username: 'ada',
    password: 'secret',
    ...fields,
  };
  const session = openPop3Session(settings, {
    guard,
    reach: 'opened',
    signal,
    ca: readPem('smtp-cert'),
  });
  return { server, session };
}

const LETTER = 'From: a@x.example\r\nSubject: hi\r\n\r\n.one\r\n..two\r\n\r\nthree\r\n';

describe('a POP3 session', () => {
  it.each([true, false])('reads messages over TLS (from the start: %s)', async (useTls) => {
    const { server, session } = await open({ useTls, messages: [{ id: 'u1', source: LETTER }] });
    const connected = await session;
    expect(await connected.ids()).toEqual(new Map([[1, 'u1']]));
    expect(String(await connected.top(1, 0, 10_000))).toBe(
      'From: a@x.example\r\nSubject: hi\r\n\r\n',
    );
    expect(String(await connected.top(1, 2, 10_000))).toContain('\r\n.one\r\n..two\r\n');
    expect(await connected.top(2, 0, 10_000)).toBeNull();
    await connected[Symbol.asyncDispose]();
    expect(server.log.filter((command) => /DELE|RETR/.test(command))).toEqual([]);
    expect(server.log.at(-1)).toBe('QUIT');
  });

  it('keeps no more of a message than requested', async () => {
    const source = `Subject: long\r\n\r\n${'x'.repeat(70)}\r\n`.replace(/x+\r\n/, (line) =>
      line.repeat(2_000),
    );
    const { session } = await open({ messages: [{ id: 'u1', source }] });
    const connected = opened.use(await session);
    const kept = await connected.top(1, 5_000, 1_000);
    expect(kept?.length).toBeLessThanOrEqual(1_000);
    // The rest was read, so the next answer belongs to the next command.
    expect(await connected.ids()).toEqual(new Map([[1, 'u1']]));
  });

  it.each<[string, Pop3Script, string]>([
    ['refuses the password', { password: 'another' }, 'auth_failed'],
    [
      'is locked',
      { instead: (c) => (c.startsWith('PASS') ? '-ERR [IN-USE] locked\r\n' : null) },
      'server_busy',
    ],
    [
      'is throttled',
      { instead: (c) => (c.startsWith('PASS') ? '-ERR Too many connections\r\n' : null) },
      'server_busy',
    ],
    ['refuses at the greeting', { greeting: '-ERR busy\r\n' }, 'server_busy'],
    ['speaks another protocol', { greeting: '220 smtp.example ESMTP\r\n' }, 'unsupported_server'],
    ['answers with an endless line', { greeting: 'x'.repeat(2_000_000) }, 'unsupported_server'],
    [
      'closes the connection',
      { instead: (c) => (c.startsWith('USER') ? 'drop' : null) },
      'connection_failed',
    ],
    [
      'knows no STLS',
      { useTls: false, instead: (c) => (c === 'STLS' ? '-ERR what\r\n' : null) },
      'starttls_unavailable',
    ],
    [
      'is spoken for before STLS is done',
      {
        useTls: false,
        instead: (c) => (c === 'STLS' ? '+OK go on\r\n+OK signed in already\r\n' : null),
      },
      'unsupported_server',
    ],
  ])('is closed when the server %s', async (_, script, errorClass) => {
    const { session, server } = await open(script);
    await expect(session).rejects.toMatchObject({ name: 'MailboxFailure', errorClass });
    if (!errorClass.startsWith('auth') && errorClass !== 'server_busy') {
      expect(server.log).not.toContain('PASS');
    }
  });

  it('never sends a password over a connection without TLS', async () => {
    const { session, server } = await open({
      useTls: false,
      instead: (command) => (command === 'STLS' ? '-ERR no\r\n' : null),
    });
    await expect(session).rejects.toMatchObject({ errorClass: 'starttls_unavailable' });
    expect(server.log).toEqual(['STLS']);
  });

  it.each<[string, (command: string) => string | null]>([
    [
      'lists without end',
      (c) => (c === 'UIDL' ? `+OK\r\n${'1 aaaaaaaaaaaaaaa\r\n'.repeat(600_000)}` : null),
    ],
    ['knows no UIDL', (c) => (c === 'UIDL' ? '-ERR unknown\r\n' : null)],
  ])('is closed when the server %s', async (_, instead) => {
    const { session } = await open({ instead });
    const connected = opened.use(await session);
    await expect(connected.ids()).rejects.toMatchObject({ errorClass: 'unsupported_server' });
  });

  it('skips invalid lines of a listing', async () => {
    const { session } = await open({
      instead: (c) =>
        c === 'UIDL' ? '+OK\r\n1 a\r\nnonsense\r\n2\r\n3  b\r\n-1 c\r\n.\r\n' : null,
    });
    const connected = opened.use(await session);
    expect(await connected.ids()).toEqual(
      new Map([
        [1, 'a'],
        [3, 'b'],
      ]),
    );
  });

  it('ends at once when it is aborted', async () => {
    const abort = new AbortController();
    const { session } = await open(
      { instead: (command) => (command === 'UIDL' ? 'hang' : null) },
      { signal: abort.signal },
    );
    const connected = await session;
    const ids = connected.ids();
    abort.abort(new Error('stopping'));
    await expect(ids).rejects.toThrow('stopping');
    await connected[Symbol.asyncDispose]();
  });

  it('rejects a certificate for another name', async () => {
    const server = opened.use(await startScriptedPop3());
    const settings = {
      host: '127.0.0.1',
      port: server.port,
      useTls: true,
      username: 'a',
      password: 'b',
    };
    const session = openPop3Session(settings, { guard, reach: 'opened', signal: NEVER });
    await expect(session).rejects.toMatchObject({ errorClass: 'tls_failed' });
    expect(server.log).toEqual([]);
  });
});

describe('servers of mailboxes', () => {
  const settings: InboxSettings = {
    kind: 'pop3',
    host: HOST,
    port: 995,
    useTls: true,
    username: 'ada',
    password: 'secret',
    folder: null,
  };
  const closed = createOutboundGuard({
    allowCidrs: [],
    resolve: () => Promise.resolve([{ address: '10.0.0.7', family: 4 }]),
  });
  const publicHost = createOutboundGuard({
    allowCidrs: [],
    resolve: () => Promise.resolve([{ address: '93.184.216.34', family: 4 }]),
  });
  const clock = (): Date => new Date();

  it.each(['imap', 'pop3'] as const)('no private address can be reached by %s', async (kind) => {
    const port = kind === 'imap' ? 993 : 995;
    const inboxes = createInboxes({ guard: closed, clock });
    await expect(inboxes.open({ ...settings, kind, port }, NEVER)).rejects.toMatchObject({
      errorClass: 'dns_error',
    });
  });

  it.each(['imap', 'pop3'] as const)(
    'no other port of a public host can be reached by %s',
    async (kind) => {
      const inboxes = createInboxes({ guard: publicHost, clock });
      await expect(inboxes.open({ ...settings, kind, port: 25 }, NEVER)).rejects.toMatchObject({
        errorClass: 'port_not_allowed',
      });
    },
  );
});
