import { type Kysely, sql } from 'kysely';

const STATEMENTS = [
  // What words mean by the texts that they share: see src/documents/latent-basis.ts. One row for each workspace.
  sql`create table latent_basis (
    workspace_id uuid primary key references workspace on delete cascade,
    id uuid,
    version smallint not null default 0,
    chunks integer not null default 0,
    basis bytea,
    tried_at timestamptz)`,
  // Coded bytes do not compress.
  sql`alter table latent_basis alter column basis set storage external`,
];

export async function up(db: Kysely<unknown>): Promise<void> {
  for (const statement of STATEMENTS) await statement.execute(db);
}
