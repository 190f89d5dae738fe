import { z } from 'zod';
import { defineRoute, type Route } from '#src/api/route.ts';
import { findTool, listOpenApiTools, listTools } from '#src/chat/custom-tools/list-tools.ts';
import { toolSnapshotSchema } from '#src/chat/custom-tools/present-tool.ts';
import { oneRow } from '#src/chat/custom-tools/tool-request.ts';

const TOOLS = { tag: 'Tools', family: 'platform', scope: 'read' } as const;

export const toolRoutes: Route[] = [
  defineRoute({
    ...TOOLS,
    method: 'GET',
    path: '/tool',
    summary: 'List the tools that a chat may use: built-in ones, then those that were added',
    description:
      'Built-in tools are listed when this install has them. Administrators also see added tools that are switched off.',
    reply: z.array(toolSnapshotSchema),
    handle: ({ services, principal }) => listTools(services, principal),
  }),
  defineRoute({
    ...TOOLS,
    method: 'GET',
    path: '/tool/openapi',
    summary: 'List the tools that were added as OpenAPI documents',
    reply: z.array(toolSnapshotSchema),
    handle: ({ services, principal }) => listOpenApiTools(services, principal),
  }),
  defineRoute({
    ...TOOLS,
    method: 'GET',
    path: '/tool/{id}',
    summary: 'A tool',
    params: oneRow,
    reply: toolSnapshotSchema,
    handle: ({ services, principal, params }) => findTool(services, principal, params.id),
  }),
];
