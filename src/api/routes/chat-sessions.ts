import { z } from 'zod';
import { defineRoute, type Route } from '#src/api/route.ts';
import { changeSession } from '#src/chat/sessions/change-session.ts';
import { tokensBesideAgent, tokensLeftInSession } from '#src/chat/sessions/context-tokens.ts';
import { createSession } from '#src/chat/sessions/create-session.ts';
import { deleteAllSessions, deleteSession } from '#src/chat/sessions/delete-sessions.ts';
import { listSessions, sessionsQuerySchema } from '#src/chat/sessions/list-sessions.ts';
import {
  chatSessionSchema,
  presentSession,
  sharedStatus,
} from '#src/chat/sessions/present-session.ts';
import {
  presentSessionDetails,
  sessionDetailsSchema,
} from '#src/chat/sessions/present-session-details.ts';
import { readSession } from '#src/chat/sessions/read-session.ts';
import { renameSession } from '#src/chat/sessions/rename-session.ts';
import {
  GROUP_TITLES,
  searchSessions,
  sessionSearchSchema,
} from '#src/chat/sessions/search-sessions.ts';
import { numericId, queryId, sessionIdField, sessionIdOf } from '#src/chat/sessions/session-ids.ts';
import { assertConfigured } from '#src/chat/sessions/session-model.ts';
import { titleField } from '#src/chat/sessions/session-title.ts';

const CHAT = { tag: 'Chat', family: 'platform' } as const;

const oneSession = z.object({ id: z.string() });
const hardDelete = z.object({
  hard_delete: z
    .stringbool()
    .default(false)
    .describe('true: the rows are removed; else include_deleted still shows the session.'),
});

export const chatSessionRoutes: Route[] = [
  defineRoute({
    ...CHAT,
    scope: 'read',
    method: 'POST',
    path: '/chat/create-chat-session',
    summary: 'Make a chat session',
    description: 'For one agent and, if named, in one project, for all its messages.',
    body: z.object({
      persona_id: numericId.nullish().describe('The agent; 0, the default one, unless told.'),
      description: titleField.nullish().describe('Its name.'),
      project_id: numericId.nullish(),
    }),
    reply: z.object({ chat_session_id: z.string() }),
    errors: ['NOT_FOUND'],
    async handle({ services, principal, body }) {
      const request = {
        agentId: body.persona_id ?? 0,
        projectId: body.project_id ?? null,
        title: body.description ?? null,
      };
      const id = await createSession(services.db, principal, request, services.clock());
      return { chat_session_id: id };
    },
  }),
  defineRoute({
    ...CHAT,
    scope: 'read',
    method: 'GET',
    path: '/chat/get-user-chat-sessions',
    summary: 'List your chat sessions, last used first',
    query: sessionsQuerySchema,
    reply: z.object({ sessions: z.array(chatSessionSchema), has_more: z.boolean() }),
    async handle({ services, principal, query }) {
      const { sessions, hasMore } = await listSessions(services.db, principal, query);
      return { sessions: sessions.map(presentSession), has_more: hasMore };
    },
  }),
  defineRoute({
    ...CHAT,
    scope: 'read',
    method: 'GET',
    path: '/chat/get-chat-session/{id}',
    summary: 'A chat session with its messages and the packets of its answers',
    params: oneSession,
    query: z.object({
      is_shared: z
        .stringbool()
        .default(false)
        .describe('true: also one that a colleague shares with the workspace.'),
      include_deleted: z.stringbool().default(false),
    }),
    reply: sessionDetailsSchema,
    async handle({ services, principal, params, query }) {
      const { workspaceId, userId } = principal;
      const session = await readSession(
        services.db,
        { workspaceId, userId, id: sessionIdOf(params.id) },
        { isShared: query.is_shared, includesDeleted: query.include_deleted },
      );
      return presentSessionDetails(session, userId);
    },
  }),
  defineRoute({
    ...CHAT,
    scope: 'member',
    method: 'PUT',
    path: '/chat/rename-chat-session',
    summary: 'Name a chat session',
    description: 'name: null has it named from how it begins.',
    body: z.object({ chat_session_id: sessionIdField, name: titleField.nullish() }),
    reply: z.object({ new_name: z.string() }),
    errors: ['NOT_FOUND'],
    async handle({ services, principal, body, signal }) {
      const { workspaceId, userId } = principal;
      const address = { workspaceId, userId, id: body.chat_session_id };
      const name = await renameSession(services, address, body.name ?? null, signal);
      return { new_name: name };
    },
  }),
  defineRoute({
    ...CHAT,
    scope: 'member',
    method: 'PATCH',
    path: '/chat/chat-session/{id}',
    summary: 'Share a chat session with your workspace, or no longer',
    params: oneSession,
    body: z.object({ sharing_status: sharedStatus }),
    reply: z.null(),
    async handle({ services, principal, params, body }) {
      const { workspaceId, userId } = principal;
      const address = { workspaceId, userId, id: sessionIdOf(params.id) };
      await changeSession(services.db, address, { shared_status: body.sharing_status });
      return null;
    },
  }),
  defineRoute({
    ...CHAT,
    scope: 'member',
    method: 'DELETE',
    path: '/chat/delete-chat-session/{id}',
    summary: 'Delete a chat session; an answer that is being written in it stops',
    params: oneSession,
    query: hardDelete,
    reply: z.null(),
    async handle({ services, principal, params, query }) {
      const { workspaceId, userId } = principal;
      const address = { workspaceId, userId, id: sessionIdOf(params.id) };
      const how = { isFinal: query.hard_delete, now: services.clock() };
      await deleteSession(services.db, address, how);
      return null;
    },
  }),
  defineRoute({
    ...CHAT,
    scope: 'member',
    method: 'DELETE',
    path: '/chat/delete-all-chat-sessions',
    summary: 'Delete all your chat sessions',
    query: hardDelete,
    reply: z.null(),
    async handle({ services, principal, query }) {
      const how = { isFinal: query.hard_delete, now: services.clock() };
      await deleteAllSessions(services.db, principal, how);
      return null;
    },
  }),
  defineRoute({
    ...CHAT,
    scope: 'member',
    method: 'PUT',
    path: '/chat/update-chat-session-temperature',
    summary: 'Set the temperature of the answers in a chat session',
    body: z.object({
      chat_session_id: sessionIdField,
      temperature_override: z.number().min(0).max(2).nullable().describe('null: no longer.'),
    }),
    reply: z.null(),
    errors: ['NOT_FOUND'],
    async handle({ services, principal, body }) {
      const { workspaceId, userId } = principal;
      const address = { workspaceId, userId, id: body.chat_session_id };
      const change = { temperature_override: body.temperature_override };
      await changeSession(services.db, address, change);
      return null;
    },
  }),
  defineRoute({
    ...CHAT,
    scope: 'member',
    method: 'PUT',
    path: '/chat/update-chat-session-model',
    summary: 'Choose the model of the answers in a chat session',
    body: z.object({
      chat_session_id: sessionIdField,
      new_alternate_model: z
        .string()
        .trim()
        .max(500)
        .nullable()
        .describe("A configured model's name, or `provider/name`; null or blank: no longer."),
    }),
    reply: z.null(),
    errors: ['NOT_FOUND'],
    async handle({ services, principal, body }) {
      const { workspaceId, userId } = principal;
      const address = { workspaceId, userId, id: body.chat_session_id };
      const model = body.new_alternate_model || null;
      if (model !== null) assertConfigured(services.chatModels, model);
      await changeSession(services.db, address, { alternate_model: model });
      return null;
    },
  }),
  defineRoute({
    ...CHAT,
    scope: 'read',
    method: 'GET',
    path: '/chat/search',
    summary: 'Search the names and messages of your chat sessions',
    query: sessionSearchSchema,
    reply: z.object({
      groups: z.array(z.object({ title: z.enum(GROUP_TITLES), chats: z.array(chatSessionSchema) })),
      has_more: z.boolean(),
      next_page: z.int().nullable(),
    }),
    async handle({ services, principal, query }) {
      const now = services.clock();
      const { groups, hasMore } = await searchSessions(services.db, principal, query, now);
      return {
        groups: groups.map(({ title, sessions }) => ({
          title,
          chats: sessions.map(presentSession),
        })),
        has_more: hasMore,
        next_page: hasMore ? query.page + 1 : null,
      };
    },
  }),
  defineRoute({
    ...CHAT,
    scope: 'read',
    method: 'GET',
    path: '/chat/max-selected-document-tokens',
    summary: 'How many tokens of documents fit beside the instructions of an agent',
    query: z.object({ persona_id: queryId.default(0) }),
    reply: z.object({ max_tokens: z.int() }),
    handle: async ({ services, principal, query }) => ({
      max_tokens: await tokensBesideAgent(services, principal, query.persona_id),
    }),
  }),
  defineRoute({
    ...CHAT,
    scope: 'read',
    method: 'GET',
    path: '/chat/available-context-tokens/{session_id}',
    summary: 'How many tokens of files fit into a chat session',
    params: z.object({ session_id: z.string() }),
    reply: z.object({ available_tokens: z.int() }),
    async handle({ services, principal, params }) {
      const { workspaceId, userId } = principal;
      const address = { workspaceId, userId, id: sessionIdOf(params.session_id) };
      return { available_tokens: await tokensLeftInSession(services, address) };
    },
  }),
];
