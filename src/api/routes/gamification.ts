import { z } from 'zod';
import { readIdempotencyKey } from '#src/api/idempotency-key.ts';
import { defineRoute, type Route } from '#src/api/route.ts';
import { ACTION_TYPES } from '#src/points/actions.ts';
import { awardPoints, CLAIM_WINDOW_MS } from '#src/points/award-points.ts';
import { readActions } from '#src/points/read-actions.ts';
import { readPointsStatus } from '#src/points/read-status.ts';

const POINTS = { tag: 'Points', family: 'reference', scope: 'any' } as const;
const MAX_CONTEXT_BYTES = 4_096;
/** NUL or half a surrogate pair, as written by `JSON.stringify`; Postgres accepts neither. */
const UNREADABLE = /(?<!\\)(?:\\\\)*\\u(?:0000|d[89a-f])/;

const contextSchema = z
  .record(z.string(), z.unknown())
  .refine(
    (context) => Buffer.byteLength(JSON.stringify(context)) <= MAX_CONTEXT_BYTES,
    `must be at most ${MAX_CONTEXT_BYTES} bytes of JSON`,
  )
  .refine(
    (context) => !UNREADABLE.test(JSON.stringify(context)),
    'must not hold NUL or half surrogate pairs',
  );

export const gamificationRoutes: Route[] = [
  defineRoute({
    ...POINTS,
    method: 'GET',
    path: '/gamification/status',
    summary: 'Your points, streak and achievements',
    description:
      'next_milestone is the achievement that is nearest to completion, `all_unlocked` when none is left.',
    reply: z.object({
      user_id: z.string(),
      points: z.int(),
      current_streak: z.int(),
      longest_streak: z.int(),
      achievements_unlocked: z.array(z.string()),
      next_milestone: z.string(),
      progress_to_next: z.number().min(0).max(1),
    }),
    async handle({ services, principal }) {
      const status = await readPointsStatus(services, principal);
      return {
        user_id: principal.userId,
        points: status.points,
        current_streak: status.currentStreak,
        longest_streak: status.longestStreak,
        achievements_unlocked: [...status.unlocked],
        next_milestone: status.nextMilestone.id,
        progress_to_next: status.nextMilestone.progress,
      };
    },
  }),
  defineRoute({
    ...POINTS,
    method: 'GET',
    path: '/gamification/actions',
    summary: 'What each action is worth, its daily cap, and how lucky finds are drawn',
    reply: z.object({
      actions: z.array(
        z.object({
          action_type: z.enum(ACTION_TYPES),
          points: z.int(),
          streak_impact: z.int(),
          daily_cap: z.int().describe('Awards in one day of your calendar.'),
          awarded_today: z.int(),
          remaining_today: z.int(),
        }),
      ),
      lucky_find: z.object({
        probability: z.number().min(0).max(1).describe('Of each award to be one.'),
        found: z.int().describe('Yours so far.'),
      }),
      claim_window_seconds: z
        .int()
        .describe(
          'An action posted within this time of an award of the service for it claims that award.',
        ),
    }),
    async handle({ services, principal }) {
      const { actions, luckyFinds } = await readActions(services, principal);
      return {
        actions: actions.map(({ action, points, streakImpact, dailyCap, today }) => ({
          action_type: action,
          points,
          streak_impact: streakImpact,
          daily_cap: dailyCap,
          awarded_today: today,
          remaining_today: Math.max(0, dailyCap - today),
        })),
        lucky_find: { probability: services.config.LUCKY_FIND_PROBABILITY, found: luckyFinds },
        claim_window_seconds: CLAIM_WINDOW_MS / 1_000,
      };
    },
  }),
  defineRoute({
    ...POINTS,
    method: 'POST',
    path: '/gamification/action',
    summary: 'Record an action and get points for it',
    description:
      'An action that the service has awarded by itself within ten minutes is not awarded again: the answer tells of that award. Above the daily cap of the action, action_recorded is false and nothing is awarded. Send the header Idempotency-Key (up to 255 visible ASCII characters) to repeat a request safely: the same key gets the same answer.',
    errors: ['CONFLICT'],
    requestHeaders: [
      {
        name: 'Idempotency-Key',
        description: 'Names the action: the same key gets the same answer and is awarded once.',
        required: false,
      },
    ],
    body: z.object({ action_type: z.enum(ACTION_TYPES), context: contextSchema.nullish() }),
    reply: z.object({
      action_recorded: z.boolean(),
      points_awarded: z.int(),
      points_total: z.int(),
      streak_count: z.int(),
      is_lucky_find: z.boolean(),
      achievement_unlocked: z.string().nullable(),
    }),
    async handle({ services, principal, headers, body }) {
      const outcome = await awardPoints(services, {
        workspaceId: principal.workspaceId,
        userId: principal.userId,
        action: body.action_type,
        source: 'client',
        sourceId: readIdempotencyKey(headers),
        context: body.context ?? null,
      });
      return {
        action_recorded: outcome.isRecorded,
        points_awarded: outcome.pointsAwarded,
        points_total: outcome.pointsTotal,
        streak_count: outcome.streakCount,
        is_lucky_find: outcome.isLuckyFind,
        achievement_unlocked: outcome.achievement,
      };
    },
  }),
];
