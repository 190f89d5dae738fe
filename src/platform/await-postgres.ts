import { ServerUnavailable, StartError } from './errors.ts';
import { messageOf } from './message-of.ts';
import { sqlStateOf, SteadyClient } from './postgres.ts';
import { type WaitPolicy, waitForServer } from './wait-for-server.ts';

const CONNECT_TIMEOUT_MS = 5_000;

/** Temporary server states (Postgres 18 manual, appendix A). Class 08 covers connections. */
const PASSING_STATES = new Set(['57P01', '57P02', '57P03', '53300']);
const WRONG_LOGIN = new Set(['28000', '28P01']);
const NO_SUCH_DATABASE = '3D000';

/**
 * Returns once the server at `databaseUrl` accepts statements and writes.
 * @throws ServerUnavailable when it does not in time; StartError at once when the server's answer shows that the setting is
 * wrong
 */
export async function awaitPostgres(databaseUrl: string, patience: WaitPolicy): Promise<void> {
  await waitForServer(() => tryPostgres(databaseUrl), patience);
}

async function tryPostgres(databaseUrl: string): Promise<void> {
  const client = openClient(databaseUrl);
  const server = `Postgres at ${placeOf(client)}`;
  try {
    await client.connect();
    const { rows } = await client.query<{ standby: boolean }>(
      'select pg_is_in_recovery() as standby',
    );
    if (rows[0]?.standby === true)
      throw away(server, 'it is in recovery and takes no writes', null);
  } catch (error) {
    throw explained(server, error);
  } finally {
    // Closing a broken connection may fail; that failure does not matter.
    client.end().catch(() => undefined);
  }
}

function openClient(connectionString: string): SteadyClient {
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
      'DATABASE_URL cannot be read: write postgres://user:password@host:5432/database, with % signs and other special characters of the password as %XX.',
      { cause },
    );
  }
}

/** Host and port, or the path of the socket: nothing secret from `DATABASE_URL`. */
function placeOf({ host, port }: SteadyClient): string {
  return host.startsWith('/') ? `${host}/.s.PGSQL.${port}` : `${host}:${port}`;
}

function explained(server: string, cause: unknown): StartError {
  if (cause instanceof StartError) return cause;
  const reason = messageOf(cause);
  const state = sqlStateOf(cause);
  // Without a server answer, the cause is on the network: refused, unresolved, cut off, too slow.
  if (state === null && isTlsTrouble(cause)) {
    return new StartError(
      `${server} cannot be reached over TLS as DATABASE_URL requires (${reason}).`,
      {
        cause,
      },
    );
  }
  // The client detects a missing password itself, before the server reports it.
  if (state === null ? reason.startsWith('SASL') : WRONG_LOGIN.has(state)) {
    return new StartError(`${server} refuses the user or password in DATABASE_URL (${reason}).`, {
      cause,
    });
  }
  if (state === null || PASSING_STATES.has(state) || state.startsWith('08'))
    return away(server, reason, cause);
  if (state === NO_SUCH_DATABASE) {
    return new StartError(
      `${server} does not have the database that DATABASE_URL names (${reason}). Create it, or correct DATABASE_URL.`,
      { cause },
    );
  }
  return new StartError(
    `${server} cannot be used with this DATABASE_URL (${reason}, SQLSTATE ${state}).`,
    { cause },
  );
}

function away(server: string, reason: string, cause: unknown): ServerUnavailable {
  return new ServerUnavailable(
    { server, reason, remedy: 'Start it, or correct DATABASE_URL.' },
    { cause },
  );
}

/** Permanent: the certificate is not trusted, or the server has no TLS. */
function isTlsTrouble(error: unknown): boolean {
  if (!(error instanceof Error)) return false;
  const code = 'code' in error ? String(error.code) : '';
  return /CERT|^ERR_(SSL|TLS)|ISSUER|^EPROTO$/.test(code) || /support SSL/.test(error.message);
}
