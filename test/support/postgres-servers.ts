import { type ChildProcess, execFile, spawn } from 'node:child_process';
import { once } from 'node:events';
import { existsSync, globSync } from 'node:fs';
import { chown, mkdtemp, rm, writeFile } from 'node:fs/promises';
import path from 'node:path';
import { promisify } from 'node:util';
import pg from 'pg';
import { chooseFixedPort } from './child-process.ts';
import { until } from './until.ts';

/*
 * Postgres servers and PgBouncer of a test, from the packages of Debian or of the PostgreSQL project. Each listens on
 * loopback only, has a folder of its own, and is stopped by its process id. Postgres refuses to run as root, so root
 * starts it as the user that the package made.
 */

/** The newest Postgres on this machine that has pgvector; null without one. */
export const postgresBinaries: string | null =
  globSync('/usr/lib/postgresql/*')
    .toSorted((a, b) => a.localeCompare(b, 'en', { numeric: true }))
    .findLast((folder) => {
      const control = `/usr/share/postgresql/${path.basename(folder)}/extension/vector.control`;
      return existsSync(path.join(folder, 'bin/initdb')) && existsSync(control);
    }) ?? null;

const PGBOUNCER = '/usr/sbin/pgbouncer';
const START_TIMEOUT_MS = 60_000;
const run = promisify(execFile);

type Account = { uid: number; gid: number } | Record<string, never>;

async function postgresAccount(): Promise<Account> {
  if (process.getuid?.() !== 0) return {};
  const [uid, gid] = await Promise.all(
    ['-u', '-g'].map(async (flag) => Number((await run('id', [flag, 'postgres'])).stdout)),
  );
  return { uid: uid ?? 0, gid: gid ?? 0 };
}

/** Below /var/tmp: the folder of the run belongs to the user who runs the tests, who may be root. */
async function openFolder(account: Account, opened: AsyncDisposableStack): Promise<string> {
  const folder = await mkdtemp('/var/tmp/millrace-servers-');
  opened.defer(() => rm(folder, { recursive: true, force: true }));
  if ('uid' in account) await chown(folder, account.uid, account.gid);
  return folder;
}

/** A server that the test can kill and start again. */
export interface PostgresServer {
  readonly port: number;
  urlOf(database: string): string;
  query(text: string, database?: string): Promise<Record<string, unknown>[]>;
  start(): Promise<void>;
  /** SIGQUIT: the server and its sessions end at once, as in a crash. */
  crash(): Promise<void>;
  /** A server that replays the log of this one as it is written. */
  openStandby(): Promise<PostgresServer>;
}

/** A new cluster without data. */
export async function openPostgresServer(opened: AsyncDisposableStack): Promise<PostgresServer> {
  const account = await postgresAccount();
  const folder = await openFolder(account, opened);
  const data = path.join(folder, 'primary');
  await run(
    binary('initdb'),
    ['-D', data, '-U', 'millrace', '--auth=trust', '-E', 'UTF8', '--locale=C.UTF-8', '--no-sync'],
    { ...account, cwd: folder },
  );
  return startServer({ account, folder, data, opened });
}

interface Place {
  account: Account;
  folder: string;
  data: string;
  opened: AsyncDisposableStack;
}

async function startServer(place: Place): Promise<PostgresServer> {
  const { account, folder, data, opened } = place;
  const port = await chooseFixedPort();
  let child: ChildProcess | null = null;
  const urlOf = (database: string) => `postgres://millrace@127.0.0.1:${port}/${database}`;
  const query = (text: string, database = 'postgres') => queryOnce(urlOf(database), text);
  const settings = ['fsync=off', 'max_standby_streaming_delay=0', 'unix_socket_directories='];
  const options = settings.flatMap((setting) => ['-c', setting]);
  const server: PostgresServer = {
    port,
    urlOf,
    query,
    async start() {
      const args = ['-D', data, '-p', String(port), '-h', '127.0.0.1', ...options];
      child = spawn(binary('postgres'), args, { ...account, cwd: folder, stdio: 'ignore' });
      await until(() => answers(urlOf('postgres')), START_TIMEOUT_MS, 50);
    },
    crash: () => end(child, 'SIGQUIT'),
    async openStandby() {
      const copy = path.join(folder, `standby-${port}`);
      const source = ['-h', '127.0.0.1', '-p', String(port), '-U', 'millrace'];
      await run(
        binary('pg_basebackup'),
        ['-D', copy, ...source, '-R', '-X', 'stream', '-c', 'fast', '--no-sync'],
        { ...account, cwd: folder },
      );
      return startServer({ ...place, data: copy });
    },
  };
  await server.start();
  opened.defer(() => server.crash());
  return server;
}

/** PgBouncer in transaction mode before a server, with the settings that the manual gives. */
export async function openPgBouncer(
  target: { port: number },
  opened: AsyncDisposableStack,
): Promise<{ urlOf(database: string): string }> {
  const account = await postgresAccount();
  const folder = await openFolder(account, opened);
  const port = await chooseFixedPort();
  const file = path.join(folder, 'pgbouncer.ini');
  const session = `connect_query='set statement_timeout = 120000; set jit = off'`;
  await writeFile(
    file,
    `[databases]
* = host=127.0.0.1 port=${target.port} user=millrace ${session}
[pgbouncer]
listen_addr = 127.0.0.1
listen_port = ${port}
unix_socket_dir =
auth_type = any
pool_mode = transaction
default_pool_size = 3
`,
  );
  const child = spawn(PGBOUNCER, ['-q', file], { ...account, cwd: folder, stdio: 'ignore' });
  opened.defer(() => end(child, 'SIGKILL'));
  const urlOf = (database: string) => `postgres://millrace@127.0.0.1:${port}/${database}`;
  await until(() => answers(urlOf('postgres')), START_TIMEOUT_MS, 50);
  return { urlOf };
}

function binary(name: string): string {
  if (postgresBinaries === null) throw new Error('There is no Postgres with pgvector here.');
  return path.join(postgresBinaries, 'bin', name);
}

async function end(child: ChildProcess | null, signal: NodeJS.Signals): Promise<void> {
  if (child === null || child.exitCode !== null || child.signalCode !== null) return;
  const exited = once(child, 'exit');
  child.kill(signal);
  await exited;
}

async function queryOnce(url: string, text: string): Promise<Record<string, unknown>[]> {
  const client = new pg.Client({ connectionString: url });
  client.on('error', () => undefined);
  await client.connect();
  try {
    return (await client.query<Record<string, unknown>>(text)).rows;
  } finally {
    await client.end();
  }
}

function answers(url: string): Promise<boolean> {
  return queryOnce(url, 'select 1').then(
    () => true,
    () => false,
  );
}
