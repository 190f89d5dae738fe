import pg from 'pg';
import { processUsage } from './process-usage.ts';

/**
 * CPU seconds so far of the sessions of a database; 0 without a URL, NaN when the server is elsewhere. One that has ended
 * counts with what it had used when last seen.
 */
export function databaseMeter(databaseUrl: string | null): () => Promise<number> {
  const used = new Map<number, number>();
  return async () => {
    if (databaseUrl === null) return 0;
    const client = new pg.Client({ connectionString: databaseUrl });
    await client.connect();
    try {
      const { rows } = await client.query<{ pid: number }>(
        'select pid from pg_stat_activity where datname = current_database() and pid <> pg_backend_pid()',
      );
      for (const { pid } of rows) used.set(pid, (await processUsage(pid)).cpuSeconds);
    } finally {
      await client.end();
    }
    return [...used.values()].reduce((sum, seconds) => sum + seconds, 0);
  };
}
