import { readdir } from 'node:fs/promises';
import path from 'node:path';
import { sql } from 'kysely';
import { FileMigrationProvider, Migrator } from 'kysely/migration';
import type { Database } from '#src/platform/database.ts';

/** Migrates an empty database up to this migration: the schema that an older version had. */
export async function migrateTo(db: Database, name: string): Promise<void> {
  const migrationFolder = path.resolve('migrations');
  const provider = new FileMigrationProvider({ fs: { readdir }, path, migrationFolder });
  await sql`create extension if not exists vector`.execute(db);
  const { error } = await new Migrator({ db, provider }).migrateTo(name);
  if (error !== undefined) throw new Error(`migrating to ${name} failed`, { cause: error });
}
