import type { PGlite } from '@electric-sql/pglite';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { examine, readTypeNames } from '#test/support/sql/describe-statement.ts';
import { NOT_PREPARED } from '#test/support/sql/not-prepared.ts';
import { findNullFields, readNullableColumns } from '#test/support/sql/null-fields.ts';
import { parseText } from '#test/support/sql/source-files.ts';
import { collect, findStatements, type FoundStatements } from '#test/support/sql/statements.ts';
import { openTestPglite } from '#test/unit/api/harness.ts';

const HAS_SERVER = 'Only a mailbox has a next poll, and a check gives it a server.';
/** Fields of rows that come from nullable columns and yet are never null, each with the reason. */
const NEVER_NULL: Readonly<Record<string, string>> = {
  'src/accounts/people/sessions.ts role': 'An account with a person has one, by a check.',
  'src/chat/sessions/project-sessions.ts project_id': 'The condition compares it with an id.',
  'src/connectors/runs/announce-run.ts finished_at': 'Runs with these statuses have ended.',
  'src/connectors/runs/open-pair.ts connector_id': 'The inner join compares it with an id.',
  'src/email/bounces/claim-mailbox.ts claim_token': 'The statement sets it.',
  'src/email/bounces/claim-mailbox.ts host': HAS_SERVER,
  'src/email/bounces/claim-mailbox.ts password': HAS_SERVER,
  'src/email/bounces/claim-mailbox.ts port': HAS_SERVER,
  'src/email/bounces/claim-mailbox.ts use_tls': HAS_SERVER,
  'src/email/bounces/claim-mailbox.ts username': HAS_SERVER,
  'src/email/claim-message.ts claim_token': 'The statement sets it.',
  'src/encryption/keys-in-use.ts sealed': 'The condition requires a sealed value.',
  'src/encryption/reseal-values.ts sealed': 'The condition requires a sealed value.',
  'src/leads/scrapes/finish-scrape.ts processing_time_ms': 'The statement sets it.',
};

let pglite: PGlite;
let nullable: Map<string, string>;
let types: Map<number, string>;

beforeAll(async () => {
  pglite = await openTestPglite();
  types = await readTypeNames(pglite);
  nullable = await readNullableColumns(pglite);
});
afterAll(() => pglite.close());

describe('raw statements in src and workers', () => {
  const found = findStatements('src', 'workers');

  it('can be prepared against the migrated schema and return the rows that their types declare', async () => {
    const problems = await problemsOf(found);
    const unexpected = problems.filter(({ source }) => !NOT_PREPARED.has(source));
    expect(unexpected.map(shown).join('\n\n')).toBe('');
  });

  it('declare null where their columns can be null', async () => {
    const fields = await nullFieldsOf(found);
    expect(
      fields,
      'Add "| null" to the type of the field, or add it to NEVER_NULL with the reason.',
    ).toEqual(Object.keys(NEVER_NULL));
  });

  it('are all assembled from their source', () => {
    const unexpected = found.unassembled.filter(({ source }) => !NOT_PREPARED.has(source));
    expect(
      unexpected,
      'Write the statement so that its text can be derived from the source, or add it to NOT_PREPARED with the reason.',
    ).toEqual([]);
  });

  it('use every fragment', () => {
    expect(found.unused, 'No statement has these fragments: remove them.').toEqual([]);
  });

  it('are exempt only where necessary', async () => {
    const failing = [...(await problemsOf(found)), ...found.unassembled];
    const sources = new Set(failing.map(({ source }) => source));
    expect([...NOT_PREPARED.keys()].filter((source) => !sources.has(source))).toEqual([]);
  });
});

describe('a statement', () => {
  it.each([
    [
      'a misspelled column',
      'select nmae from workspace',
      '{ nmae: string }',
      'column "nmae" does not exist',
    ],
    [
      'a misspelled table',
      'select name from wrkspace',
      '{ name: string }',
      'relation "wrkspace" does not exist',
    ],
    [
      'a misspelled property of its row',
      'select name from workspace',
      '{ nmae: string }',
      'returns "name", which the type of its row does not have',
    ],
    [
      'a property of another type',
      'select created_at from workspace',
      '{ created_at: string }',
      '"created_at" is written as string, but the statement returns timestamptz, which is read as Date',
    ],
    [
      'a table that is locked',
      'lock table wrkspace',
      'unknown',
      'relation "wrkspace" does not exist',
    ],
  ])('with %s is refused', async (_, text, row, problem) => {
    const [refused] = await problemsOf(fromSource(`await sql<${row}>\`${text}\`.execute(db);`));
    expect(refused?.problems.join(' ')).toContain(problem);
    expect(refused?.place).toBe('src/made-up.ts:2');
  });

  it.each([
    ['select title from chat_session', '{ title: string }', ['src/made-up.ts title']],
    ['select title as name from chat_session', '{ name: string }', ['src/made-up.ts name']],
    ['select title from chat_session', '{ title: string | null }', []],
    ['select title from chat_session where title is not null', '{ title: string }', []],
    [`select coalesce(title, '') as title from chat_session`, '{ title: string }', []],
    ['select id from chat_session', '{ id: string }', []],
  ])('such as "%s" with rows %s has its nulls compared', async (text, row, fields) => {
    const made = fromSource(`await sql<${row}>\`${text}\`.execute(db);`);
    expect(await nullFieldsOf(made)).toEqual(fields);
  });

  it('is checked with each of its fragments', async () => {
    const problems = await problemsOf(
      fromSource(`
        function only(which: string | null, column: RawBuilder<unknown>) {
          if (which === null) return sql\`true\`;
          return sql\`\${column} = \${which}\`;
        }
        await sql\`select 1 from workspace where \${only(given, sql.ref('nmae'))}\`.execute(db);`),
    );
    expect(problems.map((one) => one.text)).toEqual(['select 1 from workspace where "nmae" = $1']);
  });

  it('includes what callers pass to its function', async () => {
    const problems = await problemsOf(
      fromSource(`
        function read(condition: RawBuilder<unknown>) {
          return sql\`select 1 from workspace where \${condition}\`.execute(db);
        }
        read(sql\`name = \${name}\`);
        read(sql\`nmae = \${name}\`);`),
    );
    expect(problems.map((one) => one.text)).toEqual(['select 1 from workspace where nmae = $1']);
  });

  it('of the query builder has its fragments checked against its tables', async () => {
    const problems = await problemsOf(
      fromSource("await db.updateTable('workspace').set({ name: sql`lower(nmae)` }).execute();"),
    );
    expect(problems.map((one) => one.text)).toEqual(['select (lower(nmae)) from workspace']);
  });

  it('leaves a fragment unused when it does not contain it', () => {
    expect(fromSource('export const CONDITION = sql`name = 1`;').unused).toEqual([
      'src/made-up.ts:2',
    ]);
  });
});

function fromSource(source: string): FoundStatements {
  return collect([
    parseText('src/made-up.ts', `import { type RawBuilder, sql } from 'kysely';\n${source}`),
  ]);
}

async function problemsOf({ statements }: FoundStatements) {
  const failed: ((typeof statements)[number] & { problems: string[] })[] = [];
  for (const statement of statements) {
    const { problems } = await examine(pglite, types, statement);
    if (problems.length > 0) failed.push({ ...statement, problems });
  }
  return failed;
}

async function nullFieldsOf({ statements }: FoundStatements): Promise<string[]> {
  const found = new Set<string>();
  for (const statement of statements) {
    const file = statement.place.replace(/:\d+$/, '');
    for (const { field } of await findNullFields(pglite, nullable, statement)) {
      found.add(`${file} ${field}`);
    }
  }
  return [...found].toSorted();
}

function shown({ place, text, problems }: { place: string; text: string; problems: string[] }) {
  return `${place}: ${problems.join(' ')}\n${text}`;
}
