import { sql } from 'kysely';
import type { StoredFileId, WorkspaceId } from '#src/ids.ts';
import type { Answer } from './api-client.ts';
import { buildZip } from './build-files.ts';
import type { TestMillrace } from './test-millrace.ts';

export type FilePart = [name: string, content: string | Buffer, type?: string];

export interface SendOptions {
  fields?: Record<string, string>;
  key?: string;
}

/** Sends a form with parts named `files`. */
export async function sendFiles(
  millrace: Pick<TestMillrace, 'adminKey' | 'url'>,
  path: string,
  parts: FilePart[],
  { fields = {}, key = millrace.adminKey }: SendOptions = {},
): Promise<Answer> {
  const form = new FormData();
  for (const [name, value] of Object.entries(fields)) form.append(name, value);
  for (const [name, content, type = 'application/octet-stream'] of parts) {
    form.append('files', new Blob([new Uint8Array(Buffer.from(content))], { type }), name);
  }
  const response = await fetch(`${millrace.url}${path}`, {
    method: 'POST',
    headers: { Authorization: `Bearer ${key}` },
    body: form,
    signal: AbortSignal.timeout(60_000),
  });
  const text = await response.text();
  return { status: response.status, headers: response.headers, text, body: JSON.parse(text) };
}

/** Number of stored rows across all workspaces. */
export async function storedRows(
  millrace: TestMillrace,
): Promise<{ files: number; parts: number }> {
  const { rows: found } = await sql<{ files: number; parts: number }>`
    select (select count(*)::int from stored_file) as files,
      (select count(*)::int from stored_file_part) as parts`.execute(millrace.services.db);
  return found[0] ?? { files: -1, parts: -1 };
}

/** Reads a file of the bootstrap workspace. */
export async function readStored(
  millrace: TestMillrace,
  id: string,
): Promise<{ name: string; metadata: object; bytes: Buffer } | null> {
  const workspaceId = await bootstrapWorkspace(millrace);
  const found = await millrace.services.files.read(workspaceId, id as StoredFileId);
  return found && { name: found.file.name, metadata: found.file.metadata, bytes: found.bytes };
}

async function bootstrapWorkspace(millrace: TestMillrace): Promise<WorkspaceId> {
  const { rows: found } = await sql<{ id: WorkspaceId }>`
    select id from workspace order by created_at limit 1`.execute(millrace.services.db);
  const [workspace] = found;
  if (!workspace) throw new Error('No workspace exists.');
  return workspace.id;
}

/** A zip of text files by name. */
export const zipOf = (entries: Record<string, string>): Buffer =>
  buildZip(
    Object.entries(entries).map(([name, content]) => ({ name, content: Buffer.from(content) })),
  );
