import { z } from 'zod';
import { withDeadline } from '#src/api/deadline.ts';
import { assertMayReadMetrics } from '#src/api/metrics-access.ts';
import { contentReply } from '#src/api/reply.ts';
import { withStatus } from '#src/api/reply.ts';
import { withoutLastSlashes } from '#src/platform/base-url.ts';
import type { Config } from '#src/platform/config.ts';
import { defineRoute, type Route } from '#src/api/route.ts';
import { VERSION } from '#src/api/version.ts';
import { pingDatabase } from '#src/platform/database.ts';
import { Problem } from '#src/platform/errors.ts';

const READY_DEADLINE_MS = 2_000;
const SHARED = { tag: 'Service', family: 'reference', scope: 'public' } as const;

export const healthRoutes: Route[] = [
  defineRoute({
    ...SHARED,
    method: 'GET',
    path: '/',
    summary: 'Where to go from here',
    description: 'A browser, which accepts text/html, is redirected to the console (302).',
    reply: z.object({
      name: z.string(),
      version: z.string(),
      docs: z.string(),
      openapi: z.string(),
      health: z.string(),
    }),
    handle({ services: { config }, headers }) {
      const places = { docs: '/docs', openapi: '/openapi.json', health: '/health' };
      const reply = { name: 'Millrace', version: VERSION, ...places };
      if (!/\btext\/html\b/i.test(headers.accept ?? '')) return reply;
      return withStatus(302, reply, { Location: `${folderOf(config)}/console/`, Vary: 'Accept' });
    },
  }),
  defineRoute({
    ...SHARED,
    method: 'GET',
    path: '/health',
    summary: 'Whether the process is alive',
    reply: z.object({
      success: z.boolean(),
      message: z.string(),
      data: z.null(),
      status: z.string(),
    }),
    handle: () => ({ success: true, message: 'ok', data: null, status: 'ok' }),
  }),
  defineRoute({
    ...SHARED,
    method: 'GET',
    path: '/ready',
    summary: 'Whether database and queue answer',
    description: '503 while one of them does not: send no traffic here.',
    reply: z.object({ ready: z.literal(true), database: z.string(), queue: z.string() }),
    async handle({ services }) {
      const [database, queue] = await Promise.all([
        answersInTime(pingDatabase(services.db)),
        answersInTime(services.producer.ping()),
      ]);
      if (database && queue) return { ready: true as const, database: 'ok', queue: 'ok' };
      const missing = [database ? '' : 'database', queue ? '' : 'queue'].filter(Boolean);
      throw new Problem(
        'SERVICE_UNAVAILABLE',
        `Not ready: no answer from the ${missing.join(' and the ')} within ${READY_DEADLINE_MS / 1000} s.`,
        { retryAfterSeconds: 2 },
      );
    },
  }),
  defineRoute({
    ...SHARED,
    method: 'GET',
    path: '/metrics',
    summary: 'Metrics of this process in the text format of Prometheus',
    description:
      'Counts over all workspaces, without ids, names or contents. With DATABASE_URL it needs METRICS_TOKEN, or an admin key of the bootstrap workspace, as bearer token.',
    produces: ['text/plain'],
    reply: z.string(),
    async handle({ services, headers }) {
      await assertMayReadMetrics(services, headers);
      const { metrics } = services;
      return contentReply(metrics.contentType, await metrics.text(), {
        'Cache-Control': 'no-store',
      });
    },
  }),
  defineRoute({
    ...SHARED,
    method: 'GET',
    path: '/version',
    summary: 'The version of the service',
    reply: z.object({ backend_version: z.string() }),
    handle: () => ({ backend_version: VERSION }),
  }),
];

/** The result is only that it does not answer, so the error is not passed on. */
async function answersInTime(answer: Promise<void>): Promise<boolean> {
  try {
    await withDeadline(answer, READY_DEADLINE_MS, 'no answer in time');
    return true;
  } catch {
    return false;
  }
}

/** The path of `PUBLIC_URL`, without a trailing slash. */
function folderOf({ PUBLIC_URL: publicUrl }: Pick<Config, 'PUBLIC_URL'>): string {
  return publicUrl === undefined ? '' : withoutLastSlashes(new URL(publicUrl).pathname);
}
