import { randomUUID } from 'node:crypto';

import { sql } from 'kysely';

import type { UserFileStatus } from '#src/tables/chat.ts';
import type { TestUser } from './test-users.ts';
import type { TestMillrace } from './test-millrace.ts';

type Service = Pick<TestMillrace, 'services'>;

/** Inserts a user file in the state that an upload and its worker leave. */
export async function insertUserFile(
  { services: { db } }: Service,
  { workspaceId, userId }: Pick<TestUser, 'workspaceId' | 'userId'>,
  status: UserFileStatus = 'COMPLETED',
): Promise<string> {
  const [stored, id] = [randomUUID(), randomUUID()];
  await sql`insert into stored_file (id, workspace_id, name, media_type, byte_count)
    values (${stored}, ${workspaceId}, 'plan.txt', 'text/plain', 4)`.execute(db);
  await sql`insert into user_file (id, workspace_id, user_id, stored_file_id, name, media_type,
      chat_file_type, status, text, token_count)
    values (${id}, ${workspaceId}, ${userId}, ${stored}, 'plan.txt', 'text/plain', 'plain_text',
      ${status}, 'The van comes at nine.', 6)`.execute(db);
  return id;
}

export async function insertSession(
  { services: { db } }: Service,
  { workspaceId, userId }: TestUser,
  projectId: number | null = null,
): Promise<string> {
  const id = randomUUID();
  await sql`insert into chat_session (id, workspace_id, user_id, title, project_id)
    values (${id}, ${workspaceId}, ${userId}, 'When comes the van?', ${projectId})`.execute(db);
  return id;
}
