import { sql } from 'kysely';
import type { OperationsServices } from './operations-services.ts';

/**
 * Writes what the workers of this process did, in one statement; nothing when they did nothing. What cannot be written
 * waits for the next time.
 */
export async function writeHistory(
  { db, jobHistory, inBackground }: Pick<OperationsServices, 'db' | 'inBackground' | 'jobHistory'>,
  which: 'over' | 'all',
): Promise<void> {
  const minutes = jobHistory.take(which);
  if (minutes.length === 0) return;
  const rows = JSON.stringify(minutes.map((row) => ({ ...row, process_id: jobHistory.processId })));
  try {
    await inBackground(() =>
      // A process that stops writes the minute that is not over; nothing is added to it afterwards.
      sql`insert into queue_minute (minute, queue, process_id, finished, failed, retried, waits, runs)
        select minute, queue, process_id, finished, failed, retried,
          array(select value::int from json_array_elements_text(waits)),
          array(select value::int from json_array_elements_text(runs))
        from json_to_recordset(${rows}::json) as x(minute timestamptz, queue text, process_id uuid,
          finished int, failed int, retried int, waits json, runs json)
        on conflict (minute, queue, process_id) do nothing`.execute(db),
    );
  } catch (error) {
    jobHistory.giveBack(minutes);
    throw error;
  }
}
