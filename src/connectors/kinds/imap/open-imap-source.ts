import { ImapFailure } from '#src/platform/imap-failure.ts';
import { type ImapAddress, type ImapSession, openImapSession } from '#src/platform/imap-session.ts';
import type { ConnectorContext } from '#src/connectors/source/connector.ts';
import { sourceError } from './imap-errors.ts';

/**
 * Opens a session whose failures are connector errors.
 * @param options `allowPlaintext`: for test servers, which have no TLS
 */
export async function openImapSource(
  address: ImapAddress,
  context: ConnectorContext,
  options: { allowPlaintext: boolean },
): Promise<ImapSession> {
  const told = async <T>(work: Promise<T>): Promise<T> => {
    try {
      return await work;
    } catch (error) {
      throw error instanceof ImapFailure ? sourceError(address, error) : error;
    }
  };
  const session = await told(openImapSession(address, context, options));
  return {
    mailboxes: () => told(session.mailboxes()),
    open: (path) => told(session.open(path)),
    searchUids: (after, since) => told(session.searchUids(after, since)),
    searchMessageId: (messageId) => told(session.searchMessageId(messageId)),
    describe: (uids) => told(session.describe(uids)),
    headers: (uids, fields) => told(session.headers(uids, fields)),
    source: (uid, maxBytes) => told(session.source(uid, maxBytes)),
    [Symbol.asyncDispose]: () => session[Symbol.asyncDispose](),
  };
}
