import { z } from 'zod';
import { defineRoute, type Route } from '#src/api/route.ts';
import { viewOf } from '#src/chat/custom-tools/list-tools.ts';
import { changeTool, createTool, deleteTool } from '#src/chat/custom-tools/custom-tools.ts';
import { presentTool, toolSnapshotSchema } from '#src/chat/custom-tools/present-tool.ts';
import { methodSpecSchema, presentMethods } from '#src/chat/custom-tools/present-methods.ts';
import {
  newToolSchema,
  oneRow,
  toolChangeSchema,
  toolCheckSchema,
} from '#src/chat/custom-tools/tool-request.ts';

/** For half a megabyte of OpenAPI, which may be sent as a string of JSON or YAML. */
const WITH_DEFINITION = { bytes: 1_500_000, values: 50_000 };
const CUSTOM_TOOLS = { tag: 'Tools', family: 'platform', scope: 'admin' } as const;

export const customToolRoutes: Route[] = [
  defineRoute({
    ...CUSTOM_TOOLS,
    method: 'POST',
    path: '/admin/tool/custom',
    summary: 'Add a tool: the operations of an OpenAPI document',
    description:
      'Chats of the workspace may call each operation from then on. The document may not refer to other files or servers; its operations are called at their first server address.',
    body: newToolSchema,
    bodyLimits: WITH_DEFINITION,
    reply: toolSnapshotSchema,
    errors: ['CONFLICT'],
    async handle({ services, principal, body, signal }) {
      const made = await createTool(services, principal, body, signal);
      return presentTool(services.secrets, made, viewOf(services, principal));
    },
  }),
  defineRoute({
    ...CUSTOM_TOOLS,
    method: 'POST',
    path: '/admin/tool/custom/validate',
    summary: 'Check an OpenAPI document and list the operations that a chat could call',
    body: toolCheckSchema,
    bodyLimits: WITH_DEFINITION,
    reply: z.object({ methods: z.array(methodSpecSchema) }),
    handle: ({ body }) => ({ methods: presentMethods(body.definition) }),
  }),
  defineRoute({
    ...CUSTOM_TOOLS,
    method: 'PUT',
    path: '/admin/tool/custom/{id}',
    summary: 'Change a tool',
    description:
      'What is not sent stays. A masked header that comes back as it was shown keeps its value. Of a tool of an MCP server only enabled can be changed.',
    params: oneRow,
    body: toolChangeSchema,
    bodyLimits: WITH_DEFINITION,
    reply: toolSnapshotSchema,
    errors: ['CONFLICT'],
    async handle({ services, principal, params, body, signal }) {
      const changed = await changeTool(services, principal, params.id, body, signal);
      return presentTool(services.secrets, changed, viewOf(services, principal));
    },
  }),
  defineRoute({
    ...CUSTOM_TOOLS,
    method: 'DELETE',
    path: '/admin/tool/custom/{id}',
    summary: 'Delete a tool that was added as an OpenAPI document',
    params: oneRow,
    reply: z.null(),
    async handle({ services, principal, params }) {
      await deleteTool(services, principal, params.id);
      return null;
    },
  }),
];
