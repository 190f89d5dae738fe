import { type RawBuilder, sql } from 'kysely';

/** A column whose values a `SecretBox` has sealed. */
export interface SealedColumn {
  readonly table: string;
  readonly column: string;
  readonly idType: 'integer' | 'uuid' | 'text';
}

/**
 * All of them; a value that stands elsewhere would be lost with its key. Each is sealed for the row `<table>:<id>` and
 * has an index `<table>_<column>_key` on the id of the key. `previous_secret` comes after `secret`, since a rotation
 * moves a value from the one to the other while values are resealed in this order.
 */
export const SEALED_COLUMNS: readonly SealedColumn[] = [
  { table: 'credential', column: 'secret', idType: 'integer' },
  { table: 'webhook_endpoint', column: 'secret', idType: 'uuid' },
  { table: 'webhook_endpoint', column: 'previous_secret', idType: 'uuid' },
  { table: 'email_account', column: 'smtp_password', idType: 'uuid' },
  { table: 'custom_tool', column: 'sealed_headers', idType: 'integer' },
  { table: 'mcp_server', column: 'sealed_headers', idType: 'integer' },
  { table: 'unsubscribe_key', column: 'sealed_key', idType: 'text' },
];

/** The row name that a value of this column is sealed for. */
export function rowNameOf({ table }: SealedColumn, id: string): string {
  return `${table}:${id}`;
}

/** The beginning of a sealed value that names its key: `v1.<key id>`. The indexes are on this very expression. */
export function keyPartOf({ column }: SealedColumn): RawBuilder<string> {
  return sql<string>`left(${sql.ref(column)}, 11)`;
}

export function keyPartFor(keyId: string): string {
  return `v1.${keyId}`;
}

export function keyIdIn(keyPart: string): string {
  return keyPart.slice('v1.'.length);
}

/** Leaves out what is no sealed value, such as the secret of a deleted webhook endpoint. */
export function isSealed({ column }: SealedColumn): RawBuilder<boolean> {
  return sql<boolean>`${sql.ref(column)} like 'v1.%'`;
}
