import type { Database } from '#src/platform/database.ts';

/** The same database, of which `look` sees the rows of every statement as it ends. */
export function onRows(
  db: Database,
  look: (rows: readonly Record<string, unknown>[]) => void,
): Database {
  return db.withPlugin({
    transformQuery: ({ node }) => node,
    async transformResult({ result }) {
      look(result.rows);
      return result;
    },
  });
}
