import { ServerAway, StartError } from './errors.ts';
import { messageOf } from './message-of.ts';
import { sqlStateOf, SteadyClient } from './postgres.ts';
import { type Patience, waitForServer } from './wait-for-server.ts';

const CONNECT_TIMEOUT_MS = 5_000;

/** Conditions of a server that pass by themselves (Postgres 18 manual, appendix A). Class 08 is about connections. */
const PASSING_STATES = new Set(['57P01', '57P02', '57P03', '53300']);
const WRONG_LOGIN = new Set(['28000', '28P01']);
const NO_SUCH_DATABASE = '3D000';

/**
 * Returns when the server at `databaseUrl` takes statements and writes.
 * @throws ServerAway when it does not in time; StartError, at once, when it answers that the setting is wrong
 */
export async function awaitPostgres(databaseUrl: string, patience: Patience): Promise<void> {
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
    // Closing a connection that broke may fail, and nobody is there to tell.
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
    // Its message may hold the address with the password.
    throw new StartError(
      'DATABASE_URL cannot be read: write postgres://user:password@host:5432/database, with % signs and other special characters of the password as %XX.',
      { cause },
    );
  }
}

/** Host and port, or the path of the socket: nothing of `DATABASE_URL` that is secret. */
function placeOf({ host, port }: SteadyClient): string {
  return host.startsWith('/') ? `${host}/.s.PGSQL.${port}` : `${host}:${port}`;
}

function explained(server: string, cause: unknown): StartError {
  if (cause instanceof StartError) return cause;
  const reason = messageOf(cause);
  const state = sqlStateOf(cause);
  // What the server did not say itself comes from the way there: refused, unresolved, cut off, too slow.
  if (state === null && isTlsTrouble(cause)) {
    return new StartError(`${server} is not reached by TLS as DATABASE_URL asks (${reason}).`, {
      cause,
    });
  }
  // A password that is missing is found out here, before the server says so.
  if (state === null ? reason.startsWith('SASL') : WRONG_LOGIN.has(state)) {
    return new StartError(`${server} refuses the user or password in DATABASE_URL (${reason}).`, {
      cause,
    });
  }
  if (state === null || PASSING_STATES.has(state) || state.startsWith('08'))
    return away(server, reason, cause);
  if (state === NO_SUCH_DATABASE) {
    return new StartError(
      `${server} has no such database as DATABASE_URL names (${reason}). Create it, or correct DATABASE_URL.`,
      { cause },
    );
  }
  return new StartError(
    `${server} cannot be used with this DATABASE_URL (${reason}, SQLSTATE ${state}).`,
    { cause },
  );
}

function away(server: string, reason: string, cause: unknown): ServerAway {
  return new ServerAway(
    { server, reason, remedy: 'Start it, or correct DATABASE_URL.' },
    { cause },
  );
}

/** A certificate that is not trusted, or a server without TLS, stays so. */
function isTlsTrouble(error: unknown): boolean {
  if (!(error instanceof Error)) return false;
  const code = 'code' in error ? String(error.code) : '';
  return /CERT|^ERR_(SSL|TLS)|ISSUER|^EPROTO$/.test(code) || /support SSL/.test(error.message);
}
