// @module-tag processes
// @module-tag database
// @module-tag queues
import { once } from 'node:events';
import { mkdtempDisposable, readdir, readFile } from 'node:fs/promises';
import { connect, createServer, type Socket } from 'node:net';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { describe, expect, it } from 'vitest';
import { parseConfig } from '#src/platform/config.ts';
import { openDatabase } from '#src/platform/database.ts';
import { createLog } from '#src/platform/log.ts';
import { openServices } from '#src/open-services.ts';
import { chooseFixedPort } from '#test/support/child-process.ts';
import { openTestEnvironment } from '#test/support/test-environment.ts';
import { runEntry } from '#test/support/run-entry.ts';

const { TEST_DATABASE_URL } = process.env;
const ENCRYPTION_KEY = Buffer.alloc(32, 7).toString('base64');
const log = createLog('silent');

/** An `ErrorResponse` of the wire protocol: a length, then fields of a letter and a text, each ended by NUL. */
function postgresError(code: string, message: string): Buffer {
  const fields = Buffer.from(`SFATAL\0VFATAL\0C${code}\0M${message}\0\0`);
  const head = Buffer.alloc(5);
  head.write('E');
  head.writeInt32BE(fields.length + 4, 1);
  return Buffer.concat([head, fields]);
}

describe('a start while Postgres is unavailable', () => {
  it.runIf(TEST_DATABASE_URL)(
    'waits through refused and broken connections and recovery, and then starts (needs TEST_DATABASE_URL)',
    async () => {
      await using environment = await openTestEnvironment();
      const real = new URL(environment.settings['DATABASE_URL'] ?? '');
      const refusals: ((socket: Socket) => void)[] = [
        (socket) => socket.destroy(),
        (socket) => socket.end(postgresError('57P03', 'the database system is in recovery mode')),
        (socket) => socket.end(postgresError('53300', 'sorry, too many clients already')),
      ];
      const server = createServer((socket) => {
        socket.on('error', () => socket.destroy());
        const refuse = refusals.shift();
        if (refuse) {
          socket.once('data', () => refuse(socket));
          return;
        }
        const upstream = connect(Number(real.port), real.hostname);
        upstream.on('error', () => socket.destroy());
        socket.pipe(upstream).pipe(socket);
      });
      const port = await chooseFixedPort();
      const url = new URL(real);
      url.port = String(port);
      // Nothing listens on the port until the first attempt has been refused.
      const lines: string[] = [];
      const listening = Promise.withResolvers<void>();
      const warn = createLog('silent');
      warn.level = 'warn';
      warn.warn = (...words: unknown[]): void => {
        lines.push(JSON.stringify(words));
        if (!server.listening) server.listen(port, '127.0.0.1', listening.resolve);
      };
      const settings = { ...environment.settings, DATABASE_URL: url.href };
      const services = await openServices(parseConfig(settings), { log: warn });
      await listening.promise;
      await services[Symbol.asyncDispose]();
      server.close();
      expect(refusals).toEqual([]);
      expect(lines[0]).toContain(`Postgres at 127.0.0.1:${port}`);
      expect(lines.join()).not.toContain(real.password);
    },
  );

  it('ends at once and cleanly on SIGTERM', async () => {
    const port = await chooseFixedPort();
    const settings = { DATABASE_URL: `postgres://u:hunter2@127.0.0.1:${port}/db`, ENCRYPTION_KEY };
    await using entry = runEntry('src/api.ts', settings);
    await entry.said('waiting for a server');
    entry.signal('SIGTERM');
    expect(await entry.ended()).toBe(0);
    expect(entry.output()).not.toContain('hunter2');
  });

  it('names what was unavailable for too long in one sentence', async () => {
    const opening = openDatabase(
      { databaseUrl: 'postgres://u:hunter2@127.0.0.1:1/db', poolSize: 2, directory: null },
      log,
      { log, signal: null, timeoutMs: 0 },
    );
    await expect(opening).rejects.toThrow(
      /^Postgres at 127\.0\.0\.1:1 does not answer \(connect ECONNREFUSED.*\)\. Start it, or correct DATABASE_URL\.$/,
    );
  });

  it.each([
    ['28P01', /refuses the user or password in DATABASE_URL/],
    ['3D000', /does not have the database that DATABASE_URL names/],
    ['42501', /cannot be used with this DATABASE_URL .*42501/],
  ])('does not wait when the server answers %s', async (code, sentence) => {
    const server = createServer((socket) => {
      socket.on('error', () => socket.destroy());
      socket.once('data', () => socket.end(postgresError(code, 'no')));
    }).listen(0, '127.0.0.1');
    await once(server, 'listening');
    const address = server.address();
    const port = typeof address === 'object' ? address?.port : 0;
    const opening = openDatabase(
      { databaseUrl: `postgres://u:p@127.0.0.1:${port}/db`, poolSize: 2, directory: null },
      log,
      { log, signal: null, timeoutMs: 600_000 },
    );
    await expect(opening).rejects.toThrow(sentence);
    server.close();
  });
});

describe('a start that cannot succeed', () => {
  it.each(['src/main.ts', 'src/api.ts', 'workers/main.ts', 'src/migrate.ts'] as const)(
    'reports a wrong setting of %s before loading the rest',
    async (entryName) => {
      await using coverage = await mkdtempDisposable(path.join(tmpdir(), 'millrace-loaded-'));
      await using entry = runEntry(entryName, {
        DATABSE_URL: 'postgres://x',
        NODE_V8_COVERAGE: coverage.path,
      });
      expect(await entry.ended()).toBe(1);
      expect(entry.output()).toContain(
        'DATABSE_URL is not a setting of Millrace; DATABASE_URL is.',
      );
      const [report = ''] = await readdir(coverage.path);
      const loaded = await readFile(path.join(coverage.path, report), 'utf8');
      expect(loaded).toContain('src/platform/config.ts');
      expect(loaded).not.toMatch(/node_modules\/(kysely|koa|bullmq|pg)\//);
    },
  );

  it('reports a missing value for an option of migrate in one sentence', async () => {
    await using entry = runEntry('src/migrate.ts', {}, ['--accept-lost-key']);
    expect(await entry.ended()).toBe(1);
    expect(entry.output().trim()).toMatch(
      /^Millrace cannot start\. Option '--accept-lost-key <value>' argument missing\. Usage: npm run migrate .*$/,
    );
  });
});
