import { z } from 'zod';
import { whyForbidden } from '#src/accounts/principal.ts';
import { defineRoute, type Route } from '#src/api/route.ts';
import { type FinderScope, findThings } from '#src/operations/find-things.ts';

const MAX_LENGTH = 200;

export const findRoutes: Route[] = [
  defineRoute({
    tag: 'Overview',
    family: 'platform',
    scope: 'any',
    method: 'GET',
    path: '/find',
    summary: 'What has this id, title, e-mail address or web address',
    description:
      'Of the caller’s workspace, as far as the role may see it: documents and lead scrapes, sender accounts and messages; for admins connectors, their runs, webhook endpoints and deliveries; for operators jobs. At most 10 of a kind and 30 in all, exact ids first. subject is what shows the thing.',
    query: z.object({ q: z.string().trim().min(1).max(MAX_LENGTH) }),
    reply: z.object({
      results: z.array(
        z.object({
          kind: z.string(),
          id: z.string(),
          title: z.string(),
          state: z.string().nullable(),
          detail: z.string().nullable(),
          at: z.iso.datetime().nullable(),
          subject: z.object({ kind: z.string(), id: z.string() }),
        }),
      ),
    }),
    async handle({ services, principal, query }) {
      const { workspaceId, userId } = principal;
      const may = (scope: FinderScope): boolean => whyForbidden(principal, scope) === null;
      return { results: await findThings(services, { workspaceId, userId, may }, query.q) };
    },
  }),
];
