import type { PGlite } from '@electric-sql/pglite';
import type { Statement } from './statements.ts';
import { mayBeNull } from './type-kinds.ts';
import { propertiesOf } from './types.ts';

/** Nullable columns of all tables: `<table oid>.<column number>` → `table.column`. */
export async function readNullableColumns(pglite: PGlite): Promise<Map<string, string>> {
  const { rows } = await pglite.query<{ key: string; name: string }>(`
    select attrelid || '.' || attnum as key, relname || '.' || attname as name
    from pg_attribute join pg_class on pg_class.oid = attrelid
    where relkind = 'r' and relnamespace = 'public'::regnamespace and attnum > 0 and not attnotnull`);
  return new Map(rows.map(({ key, name }) => [key, name]));
}

/**
 * The fields of a statement's row that are declared without null, although they come straight from a nullable column
 * that the statement does not compare with null. Expressions and the missing side of an outer join are not detected.
 */
export async function findNullFields(
  pglite: PGlite,
  nullable: ReadonlyMap<string, string>,
  { text, rowType }: Statement,
): Promise<{ field: string; column: string }[]> {
  const properties = rowType ? propertiesOf(rowType) : null;
  if (!properties) return [];
  const fields = await describeFields(pglite, text);
  return fields.flatMap(({ name, tableID, columnID }) => {
    const column = nullable.get(`${tableID}.${columnID}`);
    const type = properties.get(name)?.type;
    if (column === undefined || !type || mayBeNull(type)) return [];
    const own = column.slice(column.indexOf('.') + 1);
    return new RegExp(String.raw`\b${own}"?\s+is\s+not\s+null`, 'i').test(text)
      ? []
      : [{ field: name, column }];
  });
}

interface Field {
  name: string;
  tableID: number;
  columnID: number;
}

/** Prepares a statement with the messages of the protocol, because `describeQuery` does not return the columns' origin. */
async function describeFields(pglite: PGlite, text: string): Promise<Field[]> {
  const { messages } = await pglite.execProtocol(
    Buffer.concat([
      message('P', Buffer.from(`\0${text}\0\0\0`)),
      message('D', Buffer.from('S\0')),
      message('S', Buffer.alloc(0)),
    ]),
    { throwOnError: false },
  );
  const description = messages.find(({ name }) => name === 'rowDescription');
  return description && 'fields' in description ? (description.fields as Field[]) : []; // by its name
}

/** The type, the length including itself, and the body. */
function message(type: 'P' | 'D' | 'S', body: Buffer): Buffer {
  const head = Buffer.alloc(5);
  head.write(type);
  head.writeInt32BE(body.length + 4, 1);
  return Buffer.concat([head, body]);
}
