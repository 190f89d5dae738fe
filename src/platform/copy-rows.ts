import { CompiledQuery, type QueryExecutorProvider } from 'kysely';

/** Marks a parameter as the payload of a binary COPY; both drivers look for it. */
export class CopyPayload {
  readonly bytes: Buffer;

  constructor(bytes: Buffer) {
    this.bytes = bytes;
  }
}

/** The payload when a statement's parameters are those of a COPY, else null. */
export function copyPayloadOf(parameters: unknown): CopyPayload | null {
  const first: unknown = Array.isArray(parameters) ? parameters[0] : undefined;
  return first instanceof CopyPayload ? first : null;
}

/**
 * Loads rows with `COPY … (FORMAT binary)`, on the connection and in the transaction of `db`. Postgres receives them
 * through a copy stream, PGlite through `/dev/blob`.
 * https://www.postgresql.org/docs/current/sql-copy.html#SQL-COPY-BINARY-FORMAT
 */
export async function copyRows(
  db: QueryExecutorProvider,
  table: string,
  columns: readonly string[],
  payload: Buffer,
): Promise<void> {
  const statement = `copy ${table} (${columns.join(', ')}) from stdin (format binary)`;
  await db.getExecutor().executeQuery(CompiledQuery.raw(statement, [new CopyPayload(payload)]));
}
