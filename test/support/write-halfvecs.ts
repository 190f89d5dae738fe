import { sql } from 'kysely';
import type { Database } from '#src/platform/database.ts';
import { componentsOfPlanes } from './components-of-planes.ts';

/** Makes the vectors of all chunks those of the versions that stored a `halfvec`. */
export async function writeHalfvecs(db: Database): Promise<void> {
  const rows = await db
    .selectFrom('chunk_vector')
    .innerJoin('chunk_planes', 'chunk_planes.chunk_id', 'chunk_vector.chunk_id')
    .select(['chunk_vector.chunk_id', 'bits', 'planes'])
    .execute();
  for (const { chunk_id, bits, planes } of rows) {
    const components = componentsOfPlanes({ bits, planes });
    const length = Math.hypot(...components);
    const halfvec = JSON.stringify(components.map((one) => one / length));
    await sql`update chunk_vector set embedding = ${halfvec}::halfvec
      where chunk_id = ${chunk_id}`.execute(db);
  }
  await sql`truncate chunk_planes`.execute(db);
}
