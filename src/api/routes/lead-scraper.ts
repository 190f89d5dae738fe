import { z } from 'zod';
import { PREFER_HEADER, PREFERENCE_APPLIED, prefersAsync } from '#src/api/prefer-async.ts';
import { laterReply, withStatus } from '#src/api/reply.ts';
import { defineRoute, type Route } from '#src/api/route.ts';
import { streamReply } from '#src/api/stream-reply.ts';
import { leadSchema } from '#src/leads/scrapes/present-lead.ts';
import {
  presentScrape,
  presentScrapeDetails,
  scrapeDetailsSchema,
  scrapeSchema,
} from '#src/leads/scrapes/present-scrape.ts';
import { awaitScrape } from '#src/leads/scrapes/await-scrape.ts';
import { readScrapeRequest, scrapeRequestSchema } from '#src/leads/scrapes/scrape-request.ts';
import {
  cancelScrape,
  deleteScrape,
  findScrape,
  findScrapeDetails,
  listScrapes,
  scrapeIdOf,
  scrapesQuerySchema,
} from '#src/leads/scrapes/scrapes.ts';
import { startScrape } from '#src/leads/scrapes/start-scrape.ts';
import { watchScrape } from '#src/leads/scrapes/watch-scrape.ts';

const LEADS = { tag: 'Leads', family: 'reference' } as const;
const PATH = '/tools/lead-scraper';

const oneScrape = z.object({ scrape_id: z.string() });

export const leadScraperRoutes: Route[] = [
  defineRoute({
    ...LEADS,
    scope: 'member',
    method: 'POST',
    path: PATH,
    summary: 'Find leads by words, or on the sites of addresses',
    description:
      'keyword_search names sites with the configured provider and reads each; scrape_url reads the site of the address in `query`, or of each of up to 50 in `urls`. Waits up to 25 s for the result; when more time is needed, or with `Prefer: respond-async`, answers 202 with the address to ask. An identical request within an hour gets the result that is there, unless it sends `Cache-Control: no-cache`. robots.txt and the do-not-contact list are honoured.',
    requestHeaders: [
      PREFER_HEADER,
      {
        name: 'Cache-Control',
        description: '`no-cache`: search again instead of sharing a result of the last hour.',
        required: false,
      },
    ],
    body: scrapeRequestSchema,
    reply: z.object({
      leads: z.array(leadSchema),
      total_results: z.int(),
      processing_time_ms: z.int(),
      provider: z
        .string()
        .optional()
        .describe('Who named the sites of a keyword search: `index`, `searxng` or `brave`.'),
      warnings: z
        .array(z.string())
        .optional()
        .describe('What may be missing, a sentence each: sites that could be read in part only.'),
    }),
    laterReply: z.object({ scrape_id: z.string(), status_url: z.string() }),
    errors: ['BAD_GATEWAY', 'CONFLICT'],
    async handle({ services, principal, body, headers, requestId, signal }) {
      const { workspaceId, userId } = principal;
      const order = await readScrapeRequest(services.http.guard, body, signal);
      const isFreshWanted = /(?:^|[\s,])no-cache(?:$|[\s,])/i.test(headers['cache-control'] ?? '');
      const asker = { workspaceId, userId, isFreshWanted, requestId };
      const id = await startScrape(services, order, asker);
      const isAsync = prefersAsync(headers);
      const result = isAsync ? null : await awaitScrape(services, { workspaceId, id }, signal);
      const statusUrl = `${PATH}/${id}`;
      if (result) return withStatus(200, result, { 'Content-Location': statusUrl });
      return laterReply(
        { scrape_id: id, status_url: statusUrl },
        isAsync ? PREFERENCE_APPLIED : {},
      );
    },
  }),
  defineRoute({
    ...LEADS,
    scope: 'read',
    method: 'GET',
    path: PATH,
    summary: 'List the lead scrapes of the workspace, newest first',
    query: scrapesQuerySchema,
    reply: z.object({ scrapes: z.array(scrapeSchema), next_cursor: z.string().nullable() }),
    async handle({ services, principal, query }) {
      const { scrapes, nextCursor } = await listScrapes(services, principal.workspaceId, query);
      return { scrapes: scrapes.map(presentScrape), next_cursor: nextCursor };
    },
  }),
  defineRoute({
    ...LEADS,
    scope: 'read',
    method: 'GET',
    path: `${PATH}/{scrape_id}`,
    summary:
      'A lead scrape: its state, its sites, its leads so far, and where each value was found',
    params: oneScrape,
    reply: scrapeDetailsSchema,
    async handle({ services, principal, params }) {
      const address = { workspaceId: principal.workspaceId, id: scrapeIdOf(params.scrape_id) };
      return presentScrapeDetails(await findScrapeDetails(services, address));
    },
  }),
  defineRoute({
    ...LEADS,
    scope: 'read',
    method: 'GET',
    path: `${PATH}/{scrape_id}/events`,
    summary: "A lead scrape's progress as server-sent events",
    description:
      '`progress` with every change: the scrape without its leads. `end` once it is finished: all of it. Comments in between keep the connection.',
    produces: ['text/event-stream'],
    params: oneScrape,
    reply: scrapeSchema,
    handle({ services, principal, params, signal }) {
      const address = { workspaceId: principal.workspaceId, id: scrapeIdOf(params.scrape_id) };
      return streamReply('text/event-stream', watchScrape(services, address, signal));
    },
  }),
  defineRoute({
    ...LEADS,
    scope: 'member',
    method: 'POST',
    path: `${PATH}/{scrape_id}/cancel`,
    summary: 'Cancel a lead scrape; what it has found so far stays',
    params: oneScrape,
    reply: scrapeSchema,
    errors: ['CONFLICT'],
    async handle({ services, principal, params }) {
      const address = { workspaceId: principal.workspaceId, id: scrapeIdOf(params.scrape_id) };
      await cancelScrape(services, address);
      return presentScrape(await findScrape(services, address));
    },
  }),
  defineRoute({
    ...LEADS,
    scope: 'member',
    method: 'DELETE',
    path: `${PATH}/{scrape_id}`,
    summary: 'Delete a lead scrape with its leads',
    params: oneScrape,
    reply: z.object({ status: z.literal('deleted'), scrape_id: z.string() }),
    async handle({ services, principal, params }) {
      const id = scrapeIdOf(params.scrape_id);
      await deleteScrape(services.db, { workspaceId: principal.workspaceId, id });
      return { status: 'deleted' as const, scrape_id: id };
    },
  }),
];
