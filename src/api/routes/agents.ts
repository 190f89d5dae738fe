import { z } from 'zod';

import { defineRoute, type Route } from '#src/api/route.ts';
import { agentChangeSchema, newAgentSchema } from '#src/chat/agents/agent-request.ts';
import { deleteAgent, listAgents, readAgent } from '#src/chat/agents/agents.ts';
import { DEFAULT_AGENT } from '#src/chat/agents/find-agent.ts';
import {
  agentSchema,
  agentSummarySchema,
  DEFAULT_ROW,
  presentAgent,
  presentAgents,
} from '#src/chat/agents/present-agent.ts';
import { changeAgent, createAgent } from '#src/chat/agents/save-agent.ts';

const AGENTS = { tag: 'Agents', family: 'platform' } as const;
const ignored = z.string().optional().describe('Ignored.');

const oneAgent = z.object({
  id: z.coerce
    .number('must be a whole number')
    .int('must be a whole number')
    .min(0)
    .max(2_147_483_647),
});

const change = defineRoute({
  ...AGENTS,
  method: 'PATCH',
  path: '/persona/{id}',
  summary: 'Change an agent',
  description:
    'What is left out stays. Its maker and admins may do this; the default agent stays as it is.',
  scope: 'member',
  params: oneAgent,
  body: agentChangeSchema,
  reply: agentSchema,
  errors: ['NOT_FOUND'],
  async handle({ services, principal, params, body }) {
    const { db, chatModels } = services;
    const row = await changeAgent(db, chatModels, principal, params.id, body);
    return presentAgent(services, principal, row);
  },
});

export const agentRoutes: Route[] = [
  defineRoute({
    ...AGENTS,
    method: 'GET',
    path: '/persona',
    summary: 'List the agents you may use, the default one first',
    description: 'The public ones of your workspace and your own, without their instructions.',
    scope: 'read',
    query: z.object({ include_deleted: ignored, get_editable: ignored, include_default: ignored }),
    reply: z.array(agentSummarySchema),
    async handle({ services, principal }) {
      const rows = await listAgents(services.db, principal);
      return presentAgents(services, principal, [DEFAULT_ROW, ...rows]);
    },
  }),
  defineRoute({
    ...AGENTS,
    method: 'GET',
    path: '/persona/{id}',
    summary: 'An agent with its instructions',
    scope: 'read',
    params: oneAgent,
    reply: agentSchema,
    errors: ['NOT_FOUND'],
    async handle({ services, principal, params }) {
      const isDefault = params.id === DEFAULT_AGENT.id;
      const row = isDefault ? DEFAULT_ROW : await readAgent(services.db, principal, params.id);
      return presentAgent(services, principal, row);
    },
  }),
  defineRoute({
    ...AGENTS,
    method: 'POST',
    path: '/persona',
    summary: 'Make an agent',
    description:
      'Conversations are held with it when chat_session_info.persona_id names it. Tools, document sets and the model must exist.',
    scope: 'member',
    body: newAgentSchema,
    reply: agentSchema,
    errors: ['CONFLICT'],
    async handle({ services, principal, body }) {
      const row = await createAgent(services.db, services.chatModels, principal, body);
      return presentAgent(services, principal, row);
    },
  }),
  change,
  { ...change, method: 'PUT' },
  defineRoute({
    ...AGENTS,
    method: 'DELETE',
    path: '/persona/{id}',
    summary: 'Delete an agent',
    description:
      'Its conversations stay and go on with the default agent. Its maker and admins may do this.',
    scope: 'member',
    params: oneAgent,
    reply: z.null(),
    errors: ['NOT_FOUND'],
    async handle({ services, principal, params }) {
      await deleteAgent(services.db, principal, params.id);
      return null;
    },
  }),
];
