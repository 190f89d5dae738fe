import type { OutboundGuard } from '#src/platform/outbound.ts';
import type { OutboundReach } from '#src/platform/outbound-guard.ts';
import { openImapSession } from '#src/platform/imap-session.ts';
import { vetHost } from '#src/platform/vet-host.ts';
import { openImapInbox, translateFailure } from './imap-inbox.ts';
import { type Inboxes, type InboxSettings, isMailboxPort } from './inbox.ts';
import { MailboxFailure } from './mailbox-failure.ts';
import { openPop3Inbox } from './pop3-inbox.ts';
import { openPop3Session } from './pop3-session.ts';

/** @param options `ca`: PEM certificates that POP3 trusts; `allowPlaintext`: IMAP without TLS; both for tests */
export function createInboxes({
  guard,
  clock,
  ca,
  allowPlaintext = false,
}: {
  guard: OutboundGuard;
  clock: () => Date;
  ca?: string;
  allowPlaintext?: boolean;
}): Inboxes {
  return {
    async open(settings, signal) {
      const reach = await reachOf(guard, settings, signal);
      const circumstances = { guard, reach, signal };
      if (settings.kind === 'pop3') {
        const session = await openPop3Session(settings, {
          ...circumstances,
          ...(ca !== undefined && { ca }),
        });
        return closingOnError(session, () => openPop3Inbox(session));
      }
      const session = await translateFailure(
        openImapSession(settings, circumstances, { allowPlaintext }),
      );
      const { folder } = settings;
      return closingOnError(session, () => openImapInbox(session, { folder, now: clock() }));
    },
  };
}

/** Nonstandard ports are allowed only at hosts that the operator has opened. */
async function reachOf(
  guard: OutboundGuard,
  { kind, host, port }: InboxSettings,
  signal: AbortSignal,
): Promise<OutboundReach> {
  if (isMailboxPort(kind, port)) return 'public';
  const standing = await vetHost(guard, host, signal, 'opened');
  if (standing === 'refused') throw new MailboxFailure('port_not_allowed');
  return 'opened';
}

async function closingOnError<T>(session: AsyncDisposable, open: () => Promise<T>): Promise<T> {
  try {
    return await open();
  } catch (error) {
    await session[Symbol.asyncDispose]();
    throw error;
  }
}
