import { z } from 'zod';
import { defineRoute, type Route } from '#src/api/route.ts';
import { pathId, rowId } from '#src/connectors/administration/connector-request.ts';
import { displayName } from '#src/platform/display-name.ts';
import {
  pausePair,
  renamePair,
  resumePair,
  setFrequency,
} from '#src/connectors/administration/control-pair.ts';
import { findPair, findPairId } from '#src/connectors/administration/pair-status.ts';
import { pairInfoSchema } from '#src/connectors/administration/present-pair.ts';
import { requestPrune } from '#src/connectors/runs/request-prune.ts';
import { requestRun } from '#src/connectors/runs/request-run.ts';
import { statusResponseSchema, succeeded } from '#src/connectors/administration/status-response.ts';
import type { PruneAttemptId } from '#src/ids.ts';
import { pairBody } from './connector-bodies.ts';

const PAIR_ROUTE = { tag: 'Connectors', family: 'platform', scope: 'admin' } as const;
const onePair = z.object({ id: pathId });
const MAX_SECONDS = 2_147_483_647;

/** Existing clients send seconds as text. */
const frequency = z
  .union([z.string().regex(/^\d{1,10}$/, 'must be whole seconds'), z.int().min(0), z.null()])
  .transform((value) => (value === null ? null : Number(value)))
  .refine((value) => value === null || value <= MAX_SECONDS, `must be at most ${MAX_SECONDS}`);

export const connectorPairRoutes: Route[] = [
  defineRoute({
    ...PAIR_ROUTE,
    method: 'GET',
    path: '/manage/admin/cc-pair/{id}',
    summary: 'A pair: status, counts, connector, credential, progress',
    params: onePair,
    reply: pairInfoSchema,
    handle: ({ services, principal, params }) =>
      pairBody(services, principal.workspaceId, params.id),
  }),
  defineRoute({
    ...PAIR_ROUTE,
    method: 'GET',
    path: '/manage/admin/cc-pair/{id}/last_pruned',
    summary: 'When the pair was pruned last',
    params: onePair,
    reply: z.iso.datetime().nullable(),
    async handle({ services, principal, params }) {
      const pair = await findPair(services.db, principal.workspaceId, params.id);
      return pair.last_pruned_at?.toISOString() ?? null;
    },
  }),
  defineRoute({
    ...PAIR_ROUTE,
    method: 'PUT',
    path: '/manage/admin/cc-pair/{id}/status',
    summary: 'Pause or resume a pair',
    description:
      'PAUSED ends a run that is under way and takes the pair off its schedule. ACTIVE clears the reason for which it was stopped and starts the next run.',
    params: onePair,
    body: z.object({ status: z.enum(['ACTIVE', 'PAUSED'], 'must be ACTIVE or PAUSED') }),
    reply: z.object({ message: z.literal('200') }),
    errors: ['CONFLICT'],
    async handle({ services, principal, params, body, requestId }) {
      const { workspaceId } = principal;
      const ccPairId = await findPairId(services.db, workspaceId, params.id);
      if (body.status === 'PAUSED') await pausePair(services, { workspaceId, ccPairId });
      else await resumePair(services, { workspaceId, ccPairId }, requestId);
      return { message: '200' as const };
    },
  }),
  defineRoute({
    ...PAIR_ROUTE,
    method: 'PUT',
    path: '/manage/admin/cc-pair/{id}/name',
    summary: 'Rename a pair',
    params: onePair,
    query: z.object({ new_name: displayName }),
    reply: statusResponseSchema,
    async handle({ services, principal, params, query }) {
      const { workspaceId } = principal;
      const ccPairId = await findPairId(services.db, workspaceId, params.id);
      await renamePair(services.db, { workspaceId, ccPairId }, query.new_name);
      return succeeded('Name updated successfully', ccPairId);
    },
  }),
  defineRoute({
    ...PAIR_ROUTE,
    method: 'PUT',
    path: '/manage/admin/cc-pair/{id}/property',
    summary: 'Change how often a pair is polled or pruned',
    description:
      "Takes effect at once, and for all pairs of the same connector. refresh_frequency is at least 60 s, pruning_frequency at least 300 s; null takes it off the schedule. New times count from the pair's last run or prune.",
    params: onePair,
    body: z.object({
      name: z.enum(['refresh_frequency', 'pruning_frequency']),
      value: frequency.describe('Seconds.'),
    }),
    reply: statusResponseSchema,
    async handle({ services, principal, params, body, requestId }) {
      const { workspaceId } = principal;
      const ccPairId = await findPairId(services.db, workspaceId, params.id);
      await setFrequency(
        services,
        { workspaceId, ccPairId },
        { name: body.name, seconds: body.value, requestId },
      );
      return succeeded(`${body.name} updated successfully`, ccPairId);
    },
  }),
  defineRoute({
    ...PAIR_ROUTE,
    method: 'POST',
    path: '/manage/admin/cc-pair/{id}/run',
    summary: 'Run a pair now',
    description:
      'A run that is under way is the answer, unless from_beginning asks for all of it again: then it is ended and a new one begins. data is the id of the index attempt.',
    params: onePair,
    body: z
      .object({ from_beginning: z.boolean().nullish() })
      .nullish()
      .transform((value) => ({ fromBeginning: value?.from_beginning ?? false })),
    reply: statusResponseSchema,
    errors: ['CONFLICT'],
    async handle({ services, principal, params, body, requestId }) {
      const { workspaceId } = principal;
      const ccPairId = await findPairId(services.db, workspaceId, params.id);
      const attempt = await requestRun(services, { workspaceId, ccPairId, requestId, ...body });
      return succeeded(`Index attempt ${attempt} of pair ${ccPairId}`, attempt);
    },
  }),
  defineRoute({
    ...PAIR_ROUTE,
    method: 'POST',
    path: '/manage/admin/cc-pair/{id}/prune',
    summary: 'Remove now what is gone at the source',
    description:
      'When more than half of the documents would go, nothing is removed and the prune attempt is needs_confirmation: name it in confirm_prune_attempt_id to go through with it. data is the id of the prune attempt.',
    params: onePair,
    body: z
      .object({ confirm_prune_attempt_id: rowId.nullish() })
      .nullish()
      // Ids of a request are branded on entry.
      .transform((value) => (value?.confirm_prune_attempt_id ?? null) as PruneAttemptId | null),
    reply: statusResponseSchema,
    errors: ['CONFLICT'],
    async handle({ services, principal, params, body: confirm, requestId }) {
      const { workspaceId } = principal;
      const ccPairId = await findPairId(services.db, workspaceId, params.id);
      const id = await requestPrune(services, { workspaceId, ccPairId, confirm, requestId });
      return succeeded(`Prune attempt ${id} of pair ${ccPairId}`, id);
    },
  }),
];
