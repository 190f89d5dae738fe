import { ServerUnavailable, StartError } from './errors.ts';
import { messageOf } from './message-of.ts';
import { sqlStateOf, SteadyClient } from './postgres.ts';
import { type WaitPolicy, waitForServer } from './wait-for-server.ts';

const CONNECT_TIMEOUT_MS = 5_000;

/** Temporary server states (Postgres 18 manual, appendix A). Class 08 covers connections. */
const PASSING_STATES = new Set(['57P01', '57P02', '57P03', '53300']);
const WRONG_LOGIN = new Set(['28000', '28P01']);
const NO_SUCH_DATABASE = '3D000';

/** The address of a Postgres server, and the setting that names it. */
export interface PostgresAddress {
  url: string;
  setting: 'DATABASE_URL' | 'DATABASE_DIRECT_URL' | 'DATABASE_REPLICA_URL';
}

/** What answers at an address. */
export interface PostgresPlace {
  /** Host and port, or the path of the socket. */
  place: string;
  /** A pooler such as PgBouncer is in between: two statements may run in two sessions. */
  isPooled: boolean;
  /** It replays the log of another server and takes no writes. */
  isStandby: boolean;
}

/**
 * Returns once the server at the address accepts statements and writes.
 * @throws ServerUnavailable when it does not in time; StartError at once when the server's answer shows that the setting is
 * wrong
 */
export async function awaitPostgres(
  address: PostgresAddress,
  patience: WaitPolicy,
): Promise<PostgresPlace> {
  return waitForServer(async () => {
    const found = await visitPostgres(address);
    if (!found.isStandby) return found;
    const at = { server: `Postgres at ${found.place}`, setting: address.setting };
    throw away(at, 'it is in recovery and takes no writes', null);
  }, patience);
}

/**
 * Looks at a server once.
 * @throws as `awaitPostgres`
 */
export async function visitPostgres(address: PostgresAddress): Promise<PostgresPlace> {
  const client = openClient(address);
  const place = placeOf(client);
  const at: ServerAt = { server: `Postgres at ${place}`, setting: address.setting };
  try {
    await client.connect();
    const { rows } = await client.query<{ standby: boolean; pid: number }>(
      'select pg_is_in_recovery() as standby, pg_backend_pid() as pid',
    );
    // A pooler gives the client a key of its own, because the server process changes.
    // https://www.postgresql.org/docs/current/protocol-message-formats.html (BackendKeyData)
    const isPooled = client.sessionPid !== rows[0]?.pid;
    return { place, isPooled, isStandby: rows[0]?.standby ?? false };
  } catch (error) {
    throw explained(at, error);
  } finally {
    // Closing a broken connection may fail; that failure does not matter.
    client.end().catch(() => undefined);
  }
}

/** For error messages. */
interface ServerAt {
  server: string;
  setting: PostgresAddress['setting'];
}

function openClient({ url: connectionString, setting }: PostgresAddress): SteadyClient {
  try {
    return new SteadyClient({
      connectionString,
      connectionTimeoutMillis: CONNECT_TIMEOUT_MS,
      query_timeout: CONNECT_TIMEOUT_MS,
      application_name: 'millrace',
    });
  } catch (cause) {
    // The error's message may contain the address with the password.
    throw new StartError(
      `${setting} cannot be read: write postgres://user:password@host:5432/database, with % signs and other special characters of the password as %XX.`,
      { cause },
    );
  }
}

/** Host and port, or the path of the socket: nothing secret from the address. */
function placeOf({ host, port }: SteadyClient): string {
  return host.startsWith('/') ? `${host}/.s.PGSQL.${port}` : `${host}:${port}`;
}

function explained(at: ServerAt, cause: unknown): StartError {
  const { server, setting } = at;
  if (cause instanceof StartError) return cause;
  const reason = messageOf(cause);
  const state = sqlStateOf(cause);
  // Without a server answer, the cause is on the network: refused, unresolved, cut off, too slow.
  if (state === null && isTlsTrouble(cause)) {
    return new StartError(
      `${server} cannot be reached over TLS as ${setting} requires (${reason}).`,
      {
        cause,
      },
    );
  }
  // The client detects a missing password itself, before the server reports it.
  if (state === null ? reason.startsWith('SASL') : WRONG_LOGIN.has(state)) {
    return new StartError(`${server} refuses the user or password in ${setting} (${reason}).`, {
      cause,
    });
  }
  if (state === null || PASSING_STATES.has(state) || state.startsWith('08'))
    return away(at, reason, cause);
  if (state === NO_SUCH_DATABASE) {
    return new StartError(
      `${server} does not have the database that ${setting} names (${reason}). Create it, or correct ${setting}.`,
      { cause },
    );
  }
  return new StartError(
    `${server} cannot be used with this ${setting} (${reason}, SQLSTATE ${state}).`,
    { cause },
  );
}

function away({ server, setting }: ServerAt, reason: string, cause: unknown): ServerUnavailable {
  return new ServerUnavailable(
    { server, reason, remedy: `Start it, or correct ${setting}.` },
    { cause },
  );
}

/** Permanent: the certificate is not trusted, or the server has no TLS. */
function isTlsTrouble(error: unknown): boolean {
  if (!(error instanceof Error)) return false;
  const code = 'code' in error ? String(error.code) : '';
  return /CERT|^ERR_(SSL|TLS)|ISSUER|^EPROTO$/.test(code) || /support SSL/.test(error.message);
}
