import { sql } from 'kysely';
import type { Database } from '#src/platform/database.ts';

/** Makes the vectors of all chunks those of the versions that stored a `halfvec`. */
export async function writeHalfvecs(db: Database): Promise<void> {
  const rows = await db
    .selectFrom('chunk_vector')
    .select(['chunk_id', 'quantized'])
    .where('quantized', 'is not', null)
    .execute();
  for (const { chunk_id, quantized } of rows) {
    const components = [...new Int8Array(quantized ?? [])];
    const length = Math.hypot(...components);
    const halfvec = JSON.stringify(components.map((one) => one / length));
    await sql`update chunk_vector set embedding = ${halfvec}::halfvec, quantized = null
      where chunk_id = ${chunk_id}`.execute(db);
  }
}
