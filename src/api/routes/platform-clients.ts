import { z } from 'zod';

import { readAccount } from '#src/accounts/account.ts';
import { defineRoute, type Route } from '#src/api/route.ts';
import { presentModels, providerSchema } from '#src/chat/model/present-models.ts';
import { cleanText } from '#src/documents/clean-text.ts';
import { listTags } from '#src/documents/list-tags.ts';
import { sourceFor } from '#src/documents/platform-source.ts';
import type { Role } from '#src/tables/accounts.ts';

const CLIENTS = { tag: 'Clients', family: 'platform' } as const;

/** The names that existing clients use for our roles. */
const ROLE_NAMES: Readonly<Record<Role, 'admin' | 'basic' | 'limited'>> = {
  admin: 'admin',
  member: 'basic',
  read: 'limited',
  ingest: 'limited',
  observer: 'limited',
};

/** Endpoints that existing clients need besides their main work. */
export const platformClientRoutes: Route[] = [
  defineRoute({
    ...CLIENTS,
    method: 'GET',
    path: '/auth/type',
    summary: 'How to sign in: with an API key',
    scope: 'public',
    reply: z.object({
      auth_type: z.string(),
      requires_verification: z.boolean(),
      anonymous_user_enabled: z.boolean(),
      password_min_length: z.int(),
      has_users: z.boolean(),
      oauth_enabled: z.boolean(),
    }),
    handle: () => ({
      auth_type: 'basic',
      requires_verification: false,
      anonymous_user_enabled: false,
      password_min_length: 8,
      has_users: true,
      oauth_enabled: false,
    }),
  }),
  defineRoute({
    ...CLIENTS,
    method: 'GET',
    path: '/me',
    summary: 'The user account of this key, in the shape of existing clients',
    description: 'GET /account says more.',
    scope: 'any',
    reply: z
      .object({
        id: z.string(),
        email: z.string().nullable(),
        is_active: z.boolean(),
        is_superuser: z.boolean(),
        is_verified: z.boolean(),
        role: z
          .enum(['admin', 'basic', 'limited'])
          .describe('admin; basic for member; limited for read and ingest.'),
        preferences: z.record(z.string(), z.unknown()),
        personalization: z.object({ name: z.string() }),
        oidc_expiry: z.null(),
        current_token_created_at: z.null(),
        current_token_expiry_length: z.null(),
        is_cloud_superuser: z.boolean(),
        team_name: z.string().nullable().describe('Of the workspace.'),
        is_anonymous_user: z.boolean(),
        password_configured: z.boolean(),
        tenant_info: z.null(),
      })
      .meta({ id: 'Me' }),
    async handle({ services, principal }) {
      const account = await readAccount(services.db, principal);
      return {
        id: account.userId,
        email: account.email,
        is_active: true,
        is_superuser: principal.role === 'admin',
        is_verified: true,
        role: ROLE_NAMES[principal.role],
        preferences: {},
        personalization: { name: account.displayName },
        oidc_expiry: null,
        current_token_created_at: null,
        current_token_expiry_length: null,
        is_cloud_superuser: false,
        team_name: account.workspaceName,
        is_anonymous_user: false,
        password_configured: false,
        tenant_info: null,
      };
    },
  }),
  defineRoute({
    ...CLIENTS,
    method: 'GET',
    path: '/llm/provider',
    summary: 'The language models that may be chosen',
    description: 'What llm_override may name. None without a configured model.',
    scope: 'read',
    reply: z.array(providerSchema),
    handle: ({ services }) => presentModels(services.chatModels),
  }),
  defineRoute({
    ...CLIENTS,
    method: 'GET',
    path: '/query/valid-tags',
    summary: 'Tags that search_filters may name',
    description:
      'Of the 20,000 newest documents that you may find, 100 tags at most, in the order of the alphabet.',
    scope: 'read',
    query: z.object({
      match_pattern: z
        .string()
        .max(500)
        .transform(cleanText)
        .optional()
        .describe('A key, a value, or key=value; in any case.'),
      allow_prefix: z
        .enum(['true', 'false'])
        .default('true')
        .describe('Whether what it names may go on after it.'),
    }),
    reply: z.object({
      tags: z.array(z.object({ tag_key: z.string(), tag_value: z.string(), source: z.string() })),
    }),
    async handle({ services: { db }, principal, query, framing }) {
      const found = await listTags(db, {
        workspaceId: principal.workspaceId,
        userId: principal.userId,
        pattern: query.match_pattern ?? null,
        isPrefix: query.allow_prefix === 'true',
      });
      const tags = found.map(({ key, value, source }) => ({
        tag_key: key,
        tag_value: value,
        source: sourceFor(framing, source),
      }));
      // Two sources may have the same name for the client.
      return { tags: [...new Map(tags.map((tag) => [JSON.stringify(tag), tag])).values()] };
    },
  }),
];
