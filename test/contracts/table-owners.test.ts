import { globSync, readFileSync } from 'node:fs';
import { basename, join, resolve } from 'node:path';
import { describe, expect, it } from 'vitest';

const ROOT = resolve(import.meta.dirname, '../..');

/** Writes to tables of another feature, and the reason for each. */
const EXCEPTIONS: Readonly<Record<string, string>> = {
  'src/accounts/workspaces.ts writes cc_pair':
    'A workspace begins with its hidden default pair, in one transaction.',
};

/** In `src/tables/<owner>.ts`, the interface `…Tables` names the tables of that feature. */
const OWNERS = new Map(
  globSync('src/tables/*.ts', { cwd: ROOT }).flatMap((file) => {
    const members = /export interface \w+Tables \{([^}]*)\}/.exec(read(file))?.[1] ?? '';
    const names = [...members.matchAll(/^ {2}(\w+): /gm)].flatMap(([, name]) => name ?? []);
    return names.map((name) => [name, basename(file, '.ts')] as const);
  }),
);

describe('tables', () => {
  it('all belong to a feature', () => {
    expect(OWNERS.size).toBeGreaterThan(50);
    const folders = globSync('src/*/', { cwd: ROOT }).map((path) => basename(path));
    expect([...new Set(OWNERS.values())].filter((owner) => !folders.includes(owner))).toEqual([]);
  });

  it('are written only by the feature that owns them', () => {
    const foreign = globSync('src/**/*.ts', { cwd: ROOT }).flatMap((file) =>
      writtenBy(read(file))
        .filter((table) => !file.startsWith(`src/${OWNERS.get(table)}/`))
        .map((table) => `${file} writes ${table}`),
    );
    expect([...new Set(foreign)].toSorted()).toEqual(Object.keys(EXCEPTIONS).toSorted());
  });

  it('are listed in the manual with their owners', () => {
    const rows = [...Map.groupBy(OWNERS.keys(), (table) => OWNERS.get(table))]
      .toSorted(([a = ''], [b = '']) => a.localeCompare(b))
      .map(
        ([owner, tables]) => `| \`${owner}\` | ${tables.map((name) => `\`${name}\``).join(', ')} |`,
      );
    const shown = read('docs/development.md').split('\n');
    expect(rows.filter((row) => !shown.includes(row))).toEqual([]);
  });

  it.each([
    ["db.insertInto('document').values(row)", ['document']],
    ["trx.updateTable('document as d').set(change)", ['document']],
    ["trx.deleteFrom('chunk').where(which)", ['chunk']],
    ['sql`insert into term_delta (term) values (1)`', ['term_delta']],
    ['sql`update document d set queued_at = now()`', ['document']],
    ['sql`delete from lead\n    where id = 1`', ['lead']],
    ["copyRows(trx, 'chunk_vector', COLUMNS, rows)", ['chunk_vector']],
    ['sql`select id from document for update`', []],
    ['sql`on conflict (id) do update set name = excluded.name`', []],
  ])('written by %s are recognized', (source, tables) => {
    expect(writtenBy(source)).toEqual(tables);
  });
});

function writtenBy(source: string): string[] {
  const builder = /(?:insertInto|updateTable|deleteFrom|mergeInto)\(\s*'(\w+)/g;
  const copied = /copyRows\(\s*\w+,\s*'(\w+)'/g;
  const inserted = /\b(?:insert\s+into|merge\s+into|delete\s+from|truncate)\s+(\w+)/gi;
  const updated = /\bupdate\s+(\w+)\s+(?:(?:as\s+)?\w+\s+)?set\b/gi;
  const names = [builder, copied, inserted, updated].flatMap((pattern) =>
    [...source.matchAll(pattern)].flatMap(([, name]) => name ?? []),
  );
  return names.filter((name) => OWNERS.has(name));
}

function read(file: string): string {
  return readFileSync(join(ROOT, file), 'utf8');
}
