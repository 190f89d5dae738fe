import { sql } from 'kysely';
import type { Database } from '#src/platform/database.ts';
import type { FileBytes } from './file-bytes.ts';

/** One part per statement: small enough for any driver's memory, large enough for few statements. */
const PART_BYTES = 1024 * 1024;

/**
 * Bytes in the table `stored_file_part`: visible to every process, backed up with the database, and deleted with their
 * row.
 */
export function createDatabaseBytes(db: Database): FileBytes {
  return {
    async write({ id }, content) {
      let part = 0;
      for await (const bytes of partsOf(content)) {
        // Read as text: PGlite encodes bytes one at a time, at 5 MB/s.
        await sql`insert into stored_file_part (stored_file_id, part, content)
          values (${id}, ${part}, decode(${bytes.toString('base64')}, 'base64'))`.execute(db);
        part += 1;
      }
    },
    async read({ id }, byteCount) {
      const bytes = Buffer.alloc(byteCount);
      let filled = 0;
      for (let part = 0; filled < byteCount; part += 1) {
        const row = await db
          .selectFrom('stored_file_part')
          .select('content')
          .where('stored_file_id', '=', id)
          .where('part', '=', part)
          .executeTakeFirst();
        if (!row) return null;
        bytes.set(row.content, filled);
        filled += row.content.length;
      }
      return bytes;
    },
    // The bytes are deleted with their row.
    remove: () => Promise.resolve(),
    list: null,
  };
}

/** Splits the content into parts of `PART_BYTES`; the last one may be shorter. */
async function* partsOf(content: AsyncIterable<Uint8Array>): AsyncGenerator<Buffer> {
  let open: Uint8Array[] = [];
  let length = 0;
  for await (const chunk of content) {
    let rest = chunk;
    while (length + rest.length >= PART_BYTES) {
      const room = PART_BYTES - length;
      yield Buffer.concat([...open, rest.subarray(0, room)]);
      rest = rest.subarray(room);
      open = [];
      length = 0;
    }
    if (rest.length > 0) open.push(rest);
    length += rest.length;
  }
  if (length > 0) yield Buffer.concat(open);
}
