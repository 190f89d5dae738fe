import { z } from 'zod';
import { readAccount } from '#src/accounts/account.ts';
import { type ApiKey, createApiKey, listApiKeys, revokeApiKey } from '#src/accounts/api-keys.ts';
import { requestsPerMinute } from '#src/api/rate-limit.ts';
import { displayName } from '#src/platform/display-name.ts';
import { defineRoute, type Route } from '#src/api/route.ts';
import { PLAN_TIERS, ROLES } from '#src/tables/accounts.ts';

const API_KEYS = { tag: 'API keys', family: 'reference', scope: 'admin' } as const;

const apiKeyFields = {
  id: z.string(),
  name: z.string(),
  role: z.enum(ROLES),
  prefix: z.string(),
  created_at: z.iso.datetime(),
  expires_at: z.iso.datetime().nullable(),
};

export const accountRoutes: Route[] = [
  defineRoute({
    ...API_KEYS,
    method: 'POST',
    path: '/account/api-keys',
    audit: { action: 'key.create', fields: ['name', 'role', 'expires_in_days'] },
    summary: 'Make an API key; its text is shown this once',
    description: 'The key acts as your user account, with the role that you give it.',
    body: z.object({
      name: displayName,
      role: z.enum(ROLES),
      expires_in_days: z.int().min(1).max(3650).nullish(),
    }),
    reply: z.object({ ...apiKeyFields, key: z.string() }),
    async handle({ services, principal, body }) {
      const made = await createApiKey(services.db, {
        workspaceId: principal.workspaceId,
        userId: principal.userId,
        name: body.name,
        role: body.role,
        expiresInDays: body.expires_in_days ?? null,
      });
      return { ...presentKey(made), key: made.key };
    },
  }),
  defineRoute({
    ...API_KEYS,
    method: 'GET',
    path: '/account/api-keys',
    summary: 'List the API keys of the workspace',
    reply: z.object({
      api_keys: z.array(
        z.object({
          ...apiKeyFields,
          last_four: z.string(),
          last_used_at: z.iso.datetime().nullable(),
        }),
      ),
      total: z.int(),
    }),
    async handle({ services, principal }) {
      const keys = await listApiKeys(services.db, principal.workspaceId);
      const api_keys = keys.map((key) => ({
        ...presentKey(key),
        last_four: key.lastFour,
        last_used_at: key.lastUsedAt?.toISOString() ?? null,
      }));
      return { api_keys, total: api_keys.length };
    },
  }),
  defineRoute({
    ...API_KEYS,
    method: 'DELETE',
    path: '/account/api-keys/{id}',
    audit: { action: 'key.revoke', fields: [] },
    summary: 'Revoke an API key; it fails everywhere within 5 seconds',
    params: z.object({ id: z.string() }),
    reply: z.object({ status: z.literal('deleted'), id: z.string() }),
    async handle({ services, principal, params }) {
      await revokeApiKey(services.db, { workspaceId: principal.workspaceId, id: params.id });
      return { status: 'deleted' as const, id: params.id };
    },
  }),
  defineRoute({
    tag: 'Authentication',
    family: 'reference',
    scope: 'any',
    method: 'GET',
    path: '/auth/verify',
    summary: 'Whether the key is valid, and its plan and rate limit',
    description:
      'rate_limit is per minute and user account; requests_used counts the last minute, this request included.',
    reply: z.object({
      valid: z.boolean(),
      user_id: z.string(),
      plan: z.enum(PLAN_TIERS),
      rate_limit: z.int(),
      requests_used: z.int(),
    }),
    async handle({ services, principal, rateLimit }) {
      const { plan } = await readAccount(services.db, principal);
      const now = { ...principal, plan };
      return {
        valid: true,
        user_id: principal.userId,
        plan,
        rate_limit: requestsPerMinute(services.config, now, 'reference') ?? 0,
        requests_used: rateLimit?.used ?? 0,
      };
    },
  }),
];

function presentKey(key: ApiKey) {
  return {
    id: key.id,
    name: key.name,
    role: key.role,
    prefix: key.prefix,
    created_at: key.createdAt.toISOString(),
    expires_at: key.expiresAt?.toISOString() ?? null,
  };
}
