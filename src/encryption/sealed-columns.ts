import { type RawBuilder, sql } from 'kysely';

/** A column whose values are sealed by a `SecretBox`. */
export interface SealedColumn {
  readonly table: string;
  readonly column: string;
  readonly idType: 'integer' | 'uuid' | 'text';
}

/**
 * All of them: a sealed value in any other column would be lost with its key. Each value is sealed for the row
 * `<table>:<id>`, and each column has an index `<table>_<column>_key` on the key id. `previous_secret` must come after
 * `secret`: values are resealed in this order, and a rotation meanwhile moves a value from `secret` to
 * `previous_secret`.
 */
export const SEALED_COLUMNS: readonly SealedColumn[] = [
  { table: 'credential', column: 'secret', idType: 'integer' },
  { table: 'webhook_endpoint', column: 'secret', idType: 'uuid' },
  { table: 'webhook_endpoint', column: 'previous_secret', idType: 'uuid' },
  { table: 'email_account', column: 'smtp_password', idType: 'uuid' },
  { table: 'bounce_mailbox', column: 'password', idType: 'uuid' },
  { table: 'custom_tool', column: 'sealed_headers', idType: 'integer' },
  { table: 'mcp_server', column: 'sealed_headers', idType: 'integer' },
  { table: 'unsubscribe_key', column: 'sealed_key', idType: 'text' },
];

/** The row name for which values of this column are sealed. */
export function rowNameOf({ table }: SealedColumn, id: string): string {
  return `${table}:${id}`;
}

/** The prefix of a sealed value that names its key: `v1.<key id>`. The indexes are on this exact expression. */
export function keyPartOf({ column }: SealedColumn): RawBuilder<string> {
  return sql<string>`left(${sql.ref(column)}, 11)`;
}

export function keyPartFor(keyId: string): string {
  return `v1.${keyId}`;
}

export function keyIdIn(keyPart: string): string {
  return keyPart.slice('v1.'.length);
}

/** Excludes values that are not sealed, such as the secret of a deleted webhook endpoint. */
export function isSealed({ column }: SealedColumn): RawBuilder<boolean> {
  return sql<boolean>`${sql.ref(column)} like 'v1.%'`;
}
