import { sql } from 'kysely';
import type { DatabaseTransaction } from '#src/platform/database.ts';
import { Problem } from '#src/platform/errors.ts';
import {
  type BounceMailboxAddress,
  type BounceMailboxRecord,
  findBounceMailbox,
  mailboxSealedFor,
} from '#src/email/bounces/bounce-mailboxes.ts';
import { isMailboxPort } from '#src/email/bounces/inbox.ts';
import { sendPolls } from '#src/email/bounces/send-polls.ts';
import type { EmailServices } from '#src/email/email-services.ts';
import { unknownBounceMailbox } from '#src/email/path-ids.ts';
import type { BounceMailboxChange } from './bounce-mailbox-request.ts';
import { vetMailboxServer } from './vet-mailbox-server.ts';

type ChangeServices = Pick<EmailServices, 'db' | 'http' | 'log' | 'producer' | 'secrets'>;

/**
 * Changes the fields that were sent. The mailbox is read at once, from its beginning if the server, user or folder
 * changed; a poll in progress loses its claim.
 * @throws Problem NOT_FOUND, BAD_REQUEST, CONFLICT for a webhook
 */
export async function changeBounceMailbox(
  services: ChangeServices,
  address: BounceMailboxAddress,
  change: BounceMailboxChange,
  signal: AbortSignal,
): Promise<BounceMailboxRecord> {
  const { db, http, secrets } = services;
  const known = await findServer(db, address);
  const server = await vetMailboxServer(http.guard, serverAfter(known, change), signal);
  const isMoved = server.host !== known.host || server.port !== known.port;
  if (isMoved && change.password === undefined) throw passwordNeeded();
  if (change.folder !== undefined && known.kind === 'pop3') throw noFolder();
  const folder = change.folder === undefined ? known.folder : change.folder;
  const username = change.username ?? known.username;
  const isOther = isMoved || folder !== known.folder || username !== known.username;
  await db.transaction().execute(async (trx) => {
    await assertUnchanged(trx, address, known);
    await trx
      .updateTable('bounce_mailbox')
      .set({
        ...server,
        username,
        folder,
        ...(change.password !== undefined && {
          password: secrets.seal(change.password, mailboxSealedFor(address.id)),
        }),
        ...(isOther && { cursor: null }),
        claim_token: null,
        claimed_until: null,
        next_poll_at: sql<Date>`now()`,
        queued_at: sql<Date>`now()`,
        failures: 0,
        error_class: null,
        error: null,
      })
      .where('workspace_id', '=', address.workspaceId)
      .where('id', '=', address.id)
      .execute();
  });
  await sendPolls(services, [address.id], 0);
  return findBounceMailbox(db, address);
}

/** A standard port follows `use_tls`, and `use_tls` the port; the custom port of a host stays. */
function serverAfter(known: KnownServer, change: BounceMailboxChange) {
  const { kind } = known;
  const isCustom = change.host === undefined && !isMailboxPort(kind, known.port);
  const keepsPort = change.use_tls === undefined || isCustom;
  return {
    kind,
    host: change.host ?? known.host,
    port: change.port ?? (keepsPort ? known.port : undefined),
    useTls: change.use_tls ?? (change.port === undefined ? known.use_tls : undefined),
  };
}

interface KnownServer {
  kind: 'imap' | 'pop3';
  host: string;
  port: number;
  use_tls: boolean;
  username: string;
  folder: string | null;
}

async function findServer(
  db: ChangeServices['db'] | DatabaseTransaction,
  address: BounceMailboxAddress,
): Promise<KnownServer> {
  const { kind, host, port, use_tls, username, folder } = await findBounceMailbox(db, address);
  const isServer = host !== null && port !== null && use_tls !== null && username !== null;
  if (kind !== 'webhook' && isServer) return { kind, host, port, use_tls, username, folder };
  throw new Problem(
    'CONFLICT',
    'A webhook has no settings to change. For a new URL, create another webhook (POST /bounce-mailboxes), then delete this one.',
  );
}

/** Someone may have saved another server after this one was vetted; the password must not go there. */
async function assertUnchanged(
  trx: DatabaseTransaction,
  { workspaceId, id }: BounceMailboxAddress,
  { host, port, username }: KnownServer,
): Promise<void> {
  const now = await trx
    .selectFrom('bounce_mailbox')
    .select(['host', 'port', 'username'])
    .where('workspace_id', '=', workspaceId)
    .where('id', '=', id)
    .forUpdate()
    .executeTakeFirst();
  if (!now) throw unknownBounceMailbox(id);
  if (now.host === host && now.port === port && now.username === username) return;
  throw new Problem(
    'CONFLICT',
    `Someone else changed this bounce mailbox at the same time. Check it (GET /bounce-mailboxes/${id}), then send your change again.`,
  );
}

/** Otherwise anyone who can change a mailbox could learn its password by pointing it at their own server. */
function passwordNeeded(): Problem {
  return new Problem(
    'BAD_REQUEST',
    'body.password: is required when host or port changes, because the stored password is for the previous server. Send it too.',
  );
}

function noFolder(): Problem {
  return new Problem(
    'BAD_REQUEST',
    'body.folder: POP3 has only the inbox. Omit the folder, or create an IMAP mailbox.',
  );
}
