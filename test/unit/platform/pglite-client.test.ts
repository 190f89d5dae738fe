import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { Worker } from 'node:worker_threads';
import { sql } from 'kysely';
import { afterAll, beforeAll, beforeEach, describe, expect, it } from 'vitest';
import { copyRows, overPglite } from '#src/platform/database.ts';
import type { EmbeddedDatabase, EmbeddedTransaction } from '#src/platform/embedded-database.ts';
import { openPgliteThread } from '#src/platform/pglite-client.ts';

let database: EmbeddedDatabase;

beforeAll(async () => {
  database = await openPgliteThread(null);
  await database.exec(
    'create table item (name text unique, bytes bytea, content jsonb, at timestamptz)',
  );
});
beforeEach(() => database.exec('delete from item'));
afterAll(() => database.close());

const add = (name: string, runner: EmbeddedTransaction | EmbeddedDatabase = database) =>
  runner.query('insert into item (name) values ($1)', [name]);

async function names(): Promise<string[]> {
  const { rows } = await database.query<{ name: string }>('select name from item order by name');
  return rows.map(({ name }) => name);
}

describe('the embedded database in its thread', () => {
  it('passes bytes, JSON and dates like PGlite', async () => {
    const row = {
      name: 'types',
      bytes: Buffer.from('abc'),
      content: { list: [1, 'two', null] },
      at: new Date(0),
    };
    await database.query('insert into item values ($1, $2, $3, $4)', Object.values(row));
    const { rows } = await database.query<typeof row>('select * from item');
    expect(rows).toEqual([row]);
    expect(rows[0]?.bytes).toBeInstanceOf(Buffer);
  });

  it('reports why a statement failed like PGlite', async () => {
    await add('twice');
    await expect(add('twice')).rejects.toMatchObject({
      name: 'error',
      code: '23505',
      constraint: 'item_name_key',
      detail: 'Key (name)=(twice) already exists.',
      message: expect.stringContaining('duplicate key value') as string,
    });
  });

  it('refuses a parameter that cannot be transferred, and keeps working', async () => {
    await expect(database.query('select $1', [() => 1])).rejects.toThrow(/could not be cloned/);
    expect(await names()).toEqual([]);
  });

  it('commits a transaction while other queries wait for its end', async () => {
    const reads: Promise<string[]>[] = [];
    await database.transaction(async (transaction) => {
      await add('first', transaction);
      reads.push(names());
      await add('second', transaction);
    });
    expect(await Promise.all(reads)).toEqual([['first', 'second']]);
  });

  it('rolls back a transaction that fails or asks for it, and accepts nothing into it later', async () => {
    const stop = new Error('Stop.');
    const thrown = database.transaction(async (transaction) => {
      await add('thrown', transaction);
      throw stop;
    });
    await expect(thrown).rejects.toBe(stop);
    const kept: EmbeddedTransaction[] = [];
    await database.transaction(async (transaction) => {
      kept.push(transaction);
      await add('said', transaction);
      await transaction.rollback();
    });
    await expect(add('late', kept[0])).rejects.toThrow('The transaction has ended.');
    expect(await names()).toEqual([]);
  });

  it('delivers notifications until the last listener is gone', async () => {
    const heard: string[] = [];
    const stop = database.onNotification((channel, payload) => heard.push(`${channel} ${payload}`));
    await database.exec(`listen jobs; notify jobs, 'one'`);
    stop();
    await database.exec(`notify jobs, 'two'`);
    expect(heard).toEqual(['jobs one']);
  });

  it('loads rows with COPY inside a Kysely transaction', async () => {
    const { db } = overPglite(database);
    const signature = Buffer.from('PGCOPY\n\xff\r\n\0', 'latin1');
    // No flags, no extension; one row of one column of four bytes; the end.
    const rows = Buffer.from([
      0, 0, 0, 0, 0, 0, 0, 0, 0, 1, 0, 0, 0, 4, 0x72, 0x6f, 0x77, 0x73, 255, 255,
    ]);
    await db.transaction().execute(async (trx) => {
      await copyRows(trx, 'item', ['name'], Buffer.concat([signature, rows]));
      expect((await sql`select * from item`.execute(trx)).rows).toHaveLength(1);
    });
    expect(await names()).toEqual(['rows']);
  });
});

describe('the end of the embedded database', () => {
  it('is reported and rejects waiting queries when its thread dies', async () => {
    const deaths: string[] = [];
    const threads: Worker[] = [];
    const dying = await openPgliteThread(null, {
      startThread: (url, options) => {
        const thread = new Worker(url, options);
        threads.push(thread);
        return thread;
      },
      onDeath: (error) => deaths.push(error.message),
    });
    const waiting = dying.query('select count(*) from generate_series(1, 100000000)');
    const death = 'The thread of the embedded database has ended.';
    const rejected = expect(waiting).rejects.toThrow(death);
    await threads[0]?.terminate();
    await rejected;
    await expect(dying.exec('select 1')).rejects.toThrow(death);
    expect(deaths).toEqual([death]);
  });

  it('is not reported after a close, and later statements are refused', async () => {
    const deaths: Error[] = [];
    const closing = await openPgliteThread(null, { onDeath: (error) => deaths.push(error) });
    await closing.close();
    await closing.close();
    await expect(closing.exec('select 1')).rejects.toThrow('is closed');
    expect([deaths, closing.closed]).toEqual([[], true]);
  });

  it('follows at once when Postgres has crashed', async () => {
    const deaths: string[] = [];
    const crashing = await openPgliteThread(null, {
      onDeath: (error) => deaths.push(error.message),
    });
    // Deeper than the WebAssembly stack.
    await expect(crashing.query(`select repeat('[', 1000000)::json`)).rejects.toThrow(/stack/);
    await expect(crashing.exec('select 1')).rejects.toThrow(/has crashed: .*stack.* DATA_DIR/);
    expect(deaths).toHaveLength(1);
  });

  it('follows at once with the reason when its files are of another version', async () => {
    const directory = await mkdtemp(path.join(tmpdir(), 'millrace-pglite-'));
    await writeFile(path.join(directory, 'PG_VERSION'), '9.6\n');
    try {
      await expect(openPgliteThread(directory)).rejects.toThrow(
        /^The embedded database in .* cannot be opened: .* another version .*Restore a backup/,
      );
    } finally {
      await rm(directory, { recursive: true, force: true });
    }
  });
});
