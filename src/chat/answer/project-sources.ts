import { Problem } from '#src/platform/errors.ts';
import type { ChatServices } from '#src/chat/chat-services.ts';
import type { ChatModel } from '#src/chat/model/chat-model.ts';
import type { ChatOwner } from '#src/chat/turns/chat-owner.ts';
import { findProject } from '#src/chat/projects/find-project.ts';
import { listProjectFiles } from '#src/chat/user-files/list-project-files.ts';

/** A project's files are put into the prompt whole when they take less than this share of the context. */
const WHOLE_SHARE = 0.4;

type ProjectFile = Awaited<ReturnType<typeof listProjectFiles>>[number];

/** What a project adds to its conversations. */
export interface ProjectSources {
  instructions: string | null;
  files: readonly ProjectFile[];
  /** The files are too large for a prompt, so internal search covers them instead. */
  isSearched: boolean;
}

/** @throws Problem NOT_FOUND for a project that the owner does not have */
export async function loadProjectSources(
  { db }: Pick<ChatServices, 'db'>,
  owner: ChatOwner,
  projectId: number,
  model: ChatModel | null,
): Promise<ProjectSources> {
  const project = await findProject(db, owner, projectId);
  if (!project) {
    throw new Problem(
      'NOT_FOUND',
      `There is no project ${projectId}. GET /user/projects lists yours.`,
    );
  }
  const files = await listProjectFiles(db, owner, project.id);
  const tokens = files.reduce((sum, { tokenCount }) => sum + tokenCount, 0);
  const fits = model !== null && tokens < model.contextTokens * WHOLE_SHARE;
  return { instructions: project.instructions, files, isSearched: files.length > 0 && !fits };
}
