import { z } from 'zod';

import { chatSessionSchema, presentSession } from './present-session.ts';
import type { Database } from '#src/platform/database.ts';
import type { ProjectOwner } from '#src/chat/projects/find-project.ts';
import { listProjectSessions } from './project-sessions.ts';
import type { ProjectRow } from '#src/chat/projects/projects.ts';

export const projectSchema = z
  .object({
    id: z.int(),
    name: z.string(),
    description: z.string().nullable(),
    created_at: z.iso.datetime(),
    user_id: z.string().nullable(),
    instructions: z.string().nullable(),
    chat_sessions: z
      .array(chatSessionSchema)
      .describe('The 200 that were spoken in last; GET /chat/get-user-chat-sessions has all.'),
  })
  .meta({ id: 'Project' });

export type ShownProject = z.input<typeof projectSchema>;

/** The projects as the API returns them, with their conversations, in the same order. */
export async function presentProjects(
  db: Database,
  owner: ProjectOwner,
  rows: readonly ProjectRow[],
): Promise<ShownProject[]> {
  const sessions = await listProjectSessions(
    db,
    owner,
    rows.map(({ id }) => id),
  );
  return rows.map((row) => ({
    id: row.id,
    name: row.name,
    description: row.description,
    created_at: row.created_at.toISOString(),
    user_id: row.user_id,
    instructions: row.instructions,
    chat_sessions: (sessions.get(row.id) ?? []).map(presentSession),
  }));
}

export async function presentProject(
  db: Database,
  owner: ProjectOwner,
  row: ProjectRow,
): Promise<ShownProject> {
  const [project] = await presentProjects(db, owner, [row]);
  if (!project) throw new Error('No project was presented.');
  return project;
}
