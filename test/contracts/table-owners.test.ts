import { globSync, readFileSync } from 'node:fs';
import { basename, join, resolve } from 'node:path';
import { describe, expect, it } from 'vitest';

const ROOT = resolve(import.meta.dirname, '../..');

/** Writes to tables of another feature, and the reason for each. */
const FOREIGN_WRITES: Readonly<Record<string, string>> = {
  'src/accounts/workspaces.ts writes cc_pair':
    'A workspace begins with its hidden default pair, in one transaction.',
};

/** Files that read tables of another feature, and the reason for each. A verb of the owner is the rule. */
const FOREIGN_READS: Readonly<Record<string, { tables: readonly string[]; reason: string }>> = {
  'src/billing/settle-plan.ts': {
    tables: ['workspace'],
    reason: 'Finds the workspaces to settle by their plan and their subscriptions in one scan.',
  },
  'src/chat/model/usage-ledger.ts': {
    tables: ['workspace'],
    reason: 'One insert skips the lines of workspaces deleted in the meantime.',
  },
  'src/chat/search/find-indexed-page.ts': {
    tables: ['chunk', 'document'],
    reason: 'What is visible and shown comes from fragments of documents.',
  },
  'src/chat/sessions/read-session.ts': {
    tables: ['user_account'],
    reason: 'Shows the name of the owner.',
  },
  'src/chat/sessions/search-sessions.ts': {
    tables: ['user_account'],
    reason: 'Groups sessions by days of the time zone of the user.',
  },
  'src/chat/user-files/load-attachments.ts': {
    tables: ['stored_file'],
    reason: 'Finds user files and files of other origin in one statement.',
  },
  'src/connectors/administration/credentials.ts': {
    tables: ['user_account'],
    reason: 'Shows the e-mail address of the creator.',
  },
  'src/connectors/administration/pair-status.ts': {
    tables: ['user_account'],
    reason: 'Shows the e-mail address of the creator.',
  },
  'src/documents/document-access.ts': {
    tables: ['cc_pair', 'document_set', 'document_set_cc_pair'],
    reason:
      'A pair decides who may see and change its documents, and in which sets they are; these are the fragments for all.',
  },
  'src/documents/drop-documents.ts': {
    tables: ['cc_pair'],
    reason: 'Finds the documents of a pair by their external ids, which are unique per workspace.',
  },
  'src/documents/renew-basis.ts': {
    tables: ['workspace'],
    reason: 'Chooses the next workspace that is still there and takes it in one statement.',
  },
  'src/documents/search/count-facets.ts': {
    tables: ['cc_pair', 'document_set', 'document_set_cc_pair'],
    reason:
      'Counts sets through the pairs that the user may see; connectors cannot be imported from below.',
  },
  'src/documents/upsert-documents.ts': {
    tables: ['cc_pair'],
    reason: 'Checks, writes and attaches a batch in one statement.',
  },
  'src/email/accounts.ts': {
    tables: ['workspace'],
    reason: 'Reads or locks an account together with the plan that limits it.',
  },
  'src/email/bounces/claim-mailbox.ts': {
    tables: ['workspace'],
    reason: 'Claims a mailbox only while the plan of its workspace has sender accounts.',
  },
  'src/email/bounces/send-polls.ts': {
    tables: ['workspace'],
    reason: 'Finds the mailboxes that are due and whose plan lets them be read.',
  },
  'src/email/claim-message.ts': {
    tables: ['user_account'],
    reason: 'Claims a message and reads what its delivery needs in one statement.',
  },
  'src/email/service-mail.ts': {
    tables: ['workspace'],
    reason: 'Finds the sender account of the operator in one statement.',
  },
  'src/files/sweep-files.ts': {
    tables: ['connector', 'user_file', 'workspace'],
    reason: 'Finds files that nothing refers to; whatever refers to files lies above it.',
  },
  'src/leads/search/contact-documents.ts': {
    tables: ['document'],
    reason:
      'Ranks addresses per host in one scan; what is visible comes from fragments of documents.',
  },
  'src/points/ledger.ts': {
    tables: ['user_account'],
    reason: 'Totals are read or locked together with the time zone of the user.',
  },
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
    expect([...new Set(foreign)].toSorted()).toEqual(Object.keys(FOREIGN_WRITES).toSorted());
  });

  it('are read only by the feature that owns them', () => {
    const foreign = globSync('{src,workers}/**/*.ts', { cwd: ROOT }).flatMap((file) => {
      const tables = new Set(readBy(read(file)));
      const others = [...tables].filter((name) => !file.startsWith(`src/${OWNERS.get(name)}/`));
      return others.length === 0 ? [] : [[file, others.toSorted()] as const];
    });
    const known = Object.entries(FOREIGN_READS).map(
      ([file, { tables }]) => [file, tables.toSorted()] as const,
    );
    expect(
      Object.fromEntries(foreign),
      'Call a verb of the owner, use a fragment that it exports, or add the file to FOREIGN_READS with the reason.',
    ).toEqual(Object.fromEntries(known));
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

  it.each([
    ["db.selectFrom('document')", ['document']],
    ["db.selectFrom(['document as d', 'chunk as c'])", ['document', 'chunk']],
    [".innerJoin('workspace as w', 'w.id', 'u.workspace_id')", ['workspace']],
    ['sql`select id from document d, chunk c`', ['document', 'chunk']],
    [
      'sql`document_cc_pair l join cc_pair p on p.id = l.cc_pair_id`',
      ['document_cc_pair', 'cc_pair'],
    ],
    [
      'sql`delete from document_cc_pair l using chosen c, cc_pair p`',
      ['document_cc_pair', 'cc_pair'],
    ],
    ['sql`merge into document using chunk on true`', ['chunk']],
    ["sql`select from ${sql.table('document')}`", ['document']],
    ["sql.id('public', 'chunk_vector')", ['chunk_vector']],
    ['// from document to chunk', []],
    ['sql`select extract(epoch from created_at)`', []],
  ])('read by %s are recognized', (source, tables) => {
    expect(readBy(source)).toEqual(tables);
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

/** The first name after a word such as `from`, and each after a comma; a fragment may begin with a table. */
function readBy(source: string): string[] {
  const code = source.replaceAll(/\/\*[^]*?\*\/|\/\/.*$/gm, '');
  const named = String.raw`(\w+(?:[ \t]+(?:as[ \t]+)?\w+)?(?:\s*,\s*\w+(?:[ \t]+(?:as[ \t]+)?\w+)?)*)`;
  const lists = [
    new RegExp(String.raw`\b(?:from|join|using|table|only)\s+${named}`, 'gi'),
    new RegExp(
      'sql(?:<[^`]*>)?`\\s*(\\w+)(?=\\s+\\w+\\s+(?:(?:left|inner|cross)\\s+)?join\\b|\\s+where\\b)',
      'g',
    ),
    /(?:selectFrom|[jJ]oin|deleteFrom|using|from|sql\.(?:table|id))\(\s*\[?\s*('[^\])]*)/g,
  ];
  const names = lists.flatMap((pattern) =>
    [...code.matchAll(pattern)].flatMap(({ index, 1: list = '' }) =>
      list
        .split(',')
        .map((item, place) => ({ at: index + place, name: /\w+/.exec(item)?.[0] ?? '' })),
    ),
  );
  const inOrder = names.toSorted((a, b) => a.at - b.at).map(({ name }) => name);
  return [...new Set(inOrder)].filter((name) => OWNERS.has(name));
}

function read(file: string): string {
  return readFileSync(join(ROOT, file), 'utf8');
}
