import { sql } from 'kysely';
import type { Database } from '#src/platform/database.ts';
import { componentsOfPlanes } from './components-of-planes.ts';

/** Makes the vectors of all chunks those of the versions that stored a `halfvec`. */
export async function writeHalfvecs(db: Database): Promise<void> {
  const rows = await db
    .selectFrom('chunk_vector')
    .select(['chunk_id', 'bits', 'planes'])
    .where('planes', 'is not', null)
    .execute();
  for (const { chunk_id, bits, planes } of rows) {
    const components = componentsOfPlanes({ bits, planes: planes ?? '' });
    const length = Math.hypot(...components);
    const halfvec = JSON.stringify(components.map((one) => one / length));
    await sql`update chunk_vector set embedding = ${halfvec}::halfvec, planes = null, scale = null
      where chunk_id = ${chunk_id}`.execute(db);
  }
}
