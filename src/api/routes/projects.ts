import { z } from 'zod';

import { defineRoute, type Route } from '#src/api/route.ts';
import {
  presentProject,
  presentProjects,
  projectSchema,
} from '#src/chat/sessions/present-project.ts';
import {
  newProjectQuery,
  newProjectSchema,
  projectChangeSchema,
  projectInstructionsSchema,
  projectPathId,
} from '#src/chat/projects/project-request.ts';
import { listFilesOfProject } from '#src/chat/user-files/project-files.ts';
import {
  changeProject,
  createProject,
  deleteProject,
  listProjects,
  readProject,
} from '#src/chat/projects/projects.ts';
import { presentUserFile, userFileSchema } from '#src/chat/user-files/present-user-file.ts';
import { Problem } from '#src/platform/errors.ts';

const PROJECTS = { tag: 'Projects', family: 'platform' } as const;

const oneProject = z.object({ id: projectPathId });
const instructionsReply = z.object({ instructions: z.string().nullable() });

export const projectRoutes: Route[] = [
  defineRoute({
    ...PROJECTS,
    method: 'GET',
    path: '/user/projects',
    summary: 'List your projects with their conversations',
    scope: 'read',
    reply: z.array(projectSchema),
    handle: async ({ services: { db }, principal }) =>
      presentProjects(db, principal, await listProjects(db, principal)),
  }),
  defineRoute({
    ...PROJECTS,
    method: 'POST',
    path: '/user/projects/create',
    summary: 'Make a project',
    description:
      'The name may stand in the query or in the body. Nobody else sees a project, its files and its conversations.',
    scope: 'member',
    query: newProjectQuery,
    body: newProjectSchema,
    reply: projectSchema,
    errors: ['CONFLICT'],
    async handle({ services: { db }, principal, query, body }) {
      const name = query.name ?? body?.name ?? null;
      if (name === null) {
        throw new Problem(
          'BAD_REQUEST',
          'query.name: a project needs a name. Send it in the query or in the body.',
        );
      }
      const row = await createProject(db, principal, {
        name,
        description: body?.description ?? null,
        instructions: body?.instructions ?? null,
      });
      return presentProject(db, principal, row);
    },
  }),
  defineRoute({
    ...PROJECTS,
    method: 'GET',
    path: '/user/projects/{id}',
    summary: 'A project of yours',
    scope: 'read',
    params: oneProject,
    reply: projectSchema,
    errors: ['NOT_FOUND'],
    handle: async ({ services: { db }, principal, params }) =>
      presentProject(db, principal, await readProject(db, principal, params.id)),
  }),
  defineRoute({
    ...PROJECTS,
    method: 'PATCH',
    path: '/user/projects/{id}',
    summary: 'Change a project',
    description: 'What is left out stays; a description or instructions of null are removed.',
    scope: 'member',
    params: oneProject,
    body: projectChangeSchema,
    reply: projectSchema,
    errors: ['NOT_FOUND'],
    handle: async ({ services: { db }, principal, params, body }) =>
      presentProject(db, principal, await changeProject(db, principal, params.id, body)),
  }),
  defineRoute({
    ...PROJECTS,
    method: 'DELETE',
    path: '/user/projects/{id}',
    summary: 'Delete a project and its conversations',
    description: 'Its files stay yours: they are deleted one by one.',
    scope: 'member',
    params: oneProject,
    reply: z.null(),
    errors: ['NOT_FOUND'],
    async handle({ services: { db }, principal, params }) {
      await deleteProject(db, principal, params.id);
      return null;
    },
  }),
  defineRoute({
    ...PROJECTS,
    method: 'GET',
    path: '/user/projects/{id}/instructions',
    summary: 'What the answers in a project are told to heed',
    scope: 'read',
    params: oneProject,
    reply: instructionsReply,
    errors: ['NOT_FOUND'],
    async handle({ services: { db }, principal, params }) {
      const { instructions } = await readProject(db, principal, params.id);
      return { instructions };
    },
  }),
  defineRoute({
    ...PROJECTS,
    method: 'POST',
    path: '/user/projects/{id}/instructions',
    summary: 'Set the instructions of a project',
    description: 'Null or blank removes them.',
    scope: 'member',
    params: oneProject,
    body: projectInstructionsSchema,
    reply: instructionsReply,
    errors: ['NOT_FOUND'],
    async handle({ services: { db }, principal, params, body }) {
      const { instructions } = await changeProject(db, principal, params.id, {
        instructions: body.instructions ?? null,
      });
      return { instructions };
    },
  }),
  defineRoute({
    ...PROJECTS,
    method: 'GET',
    path: '/user/projects/{id}/details',
    summary: 'A project with its files and the agents of its conversations',
    scope: 'read',
    params: oneProject,
    reply: z.object({
      project: projectSchema,
      files: z.array(userFileSchema),
      persona_id_to_is_featured: z
        .record(z.string(), z.boolean())
        .describe('The agents that it is spoken with; true for the default one.'),
    }),
    errors: ['NOT_FOUND'],
    async handle({ services: { db }, principal, params }) {
      const row = await readProject(db, principal, params.id);
      const [project, files] = await Promise.all([
        presentProject(db, principal, row),
        listFilesOfProject(db, principal, row.id),
      ]);
      const agents = project.chat_sessions.map(({ persona_id: id }) => id ?? 0);
      return {
        project,
        files: files.map((file) => presentUserFile(file)),
        persona_id_to_is_featured: Object.fromEntries(agents.map((id) => [id, id === 0])),
      };
    },
  }),
];
