import { z } from 'zod';

import { defineRoute, type Route } from '#src/api/route.ts';
import { sessionIdField } from '#src/chat/sessions/session-ids.ts';
import {
  addFileToProject,
  listFilesOfProject,
  removeFileFromProject,
} from '#src/chat/user-files/project-files.ts';
import { projectPathId, userFilePathId } from '#src/chat/projects/project-request.ts';
import { moveSession, projectOfSession } from '#src/chat/sessions/project-sessions.ts';
import { readProject } from '#src/chat/projects/projects.ts';
import { presentUserFile, userFileSchema } from '#src/chat/user-files/present-user-file.ts';

const PROJECTS = { tag: 'Projects', family: 'platform', errors: ['NOT_FOUND'] } as const;

const oneFile = z.object({ project_id: projectPathId, file_id: userFilePathId });
const oneSession = z.object({ chat_session_id: sessionIdField });

/** A project's files and conversations. */
export const projectFileRoutes: Route[] = [
  defineRoute({
    ...PROJECTS,
    method: 'GET',
    path: '/user/projects/files/{project_id}',
    summary: 'The files of a project, in the order in which they were added',
    scope: 'read',
    params: z.object({ project_id: projectPathId }),
    reply: z.array(userFileSchema),
    async handle({ services: { db }, principal, params }) {
      const { id } = await readProject(db, principal, params.project_id);
      const files = await listFilesOfProject(db, principal, id);
      return files.map((file) => presentUserFile(file));
    },
  }),
  defineRoute({
    ...PROJECTS,
    method: 'POST',
    path: '/user/projects/{project_id}/files/{file_id}',
    summary: 'Add a file of yours to a project',
    description: 'Adding one twice changes nothing.',
    scope: 'member',
    params: oneFile,
    reply: userFileSchema,
    errors: ['NOT_FOUND', 'CONFLICT'],
    handle: async ({ services: { db }, principal, params }) =>
      presentUserFile(
        await addFileToProject(db, principal, {
          projectId: params.project_id,
          fileId: params.file_id,
        }),
      ),
  }),
  defineRoute({
    ...PROJECTS,
    method: 'DELETE',
    path: '/user/projects/{project_id}/files/{file_id}',
    summary: 'Take a file out of a project; it stays yours',
    scope: 'member',
    params: oneFile,
    reply: z.null(),
    async handle({ services: { db }, principal, params }) {
      await removeFileFromProject(db, principal, {
        projectId: params.project_id,
        fileId: params.file_id,
      });
      return null;
    },
  }),
  defineRoute({
    ...PROJECTS,
    method: 'GET',
    path: '/user/projects/session/{chat_session_id}/files',
    summary: "The files of a conversation's project",
    description: 'None when it belongs to no project.',
    scope: 'read',
    params: oneSession,
    reply: z.array(userFileSchema),
    async handle({ services: { db }, principal, params }) {
      const projectId = await projectOfSession(db, principal, params.chat_session_id);
      if (projectId === null) return [];
      const files = await listFilesOfProject(db, principal, projectId);
      return files.map((file) => presentUserFile(file));
    },
  }),
  defineRoute({
    ...PROJECTS,
    method: 'POST',
    path: '/user/projects/{project_id}/move_chat_session',
    summary: 'Put a conversation of yours into a project',
    scope: 'member',
    params: z.object({ project_id: projectPathId }),
    body: oneSession,
    reply: z.null(),
    async handle({ services: { db }, principal, params, body }) {
      await moveSession(db, principal, body.chat_session_id, params.project_id);
      return null;
    },
  }),
  defineRoute({
    ...PROJECTS,
    method: 'POST',
    path: '/user/projects/remove_chat_session',
    summary: 'Take a conversation of yours out of its project',
    scope: 'member',
    body: oneSession,
    reply: z.null(),
    async handle({ services: { db }, principal, body }) {
      await moveSession(db, principal, body.chat_session_id, null);
      return null;
    },
  }),
];
