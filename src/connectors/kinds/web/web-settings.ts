import { z } from 'zod';
import { readBaseUrl } from './page-address.ts';

const MAX_PAGES_LIMIT = 200_000;

export const webSettings = z
  .strictObject({
    base_url: z
      .string()
      .trim()
      .min(1)
      .describe(
        'Where to begin. Without a scheme it is https. For `sitemap` a sitemap or a site that has one; for `upload` the id of an uploaded text file with one address a line.',
      )
      .meta({ title: 'Address' }),
    web_connector_type: z
      .enum(['recursive', 'single', 'sitemap', 'upload'])
      .default('recursive')
      .describe(
        '`recursive` follows links below the address, `single` reads one page, `sitemap` the pages that a sitemap lists, `upload` the addresses of an uploaded file.',
      )
      .meta({ title: 'What to read' }),
    mintlify_cleanup: z
      .boolean()
      .default(true)
      .describe('Leave out the sticky and hidden parts of documentation sites built with Mintlify.')
      .meta({ title: 'Leave out what Mintlify adds' }),
    scroll_before_scraping: z
      .boolean()
      .default(false)
      .describe('Scroll to the end of each page before it is read, where its scripts are run.')
      .meta({ title: 'Scroll before reading' }),
    url_rewrites: z
      .null()
      .default(null)
      .describe('Not used; only null is taken.')
      .meta({ deprecated: true }),
    max_pages: z
      .int()
      .min(1)
      .max(MAX_PAGES_LIMIT)
      .default(10_000)
      .describe('The crawl ends after this many pages.')
      .meta({ title: 'Pages at most' }),
    max_depth: z
      .int()
      .min(0)
      .max(1_000)
      .default(20)
      .describe('Pages that are more links away from the address are left out.')
      .meta({ title: 'Links away at most' }),
    render_javascript: z
      .boolean()
      .default(false)
      .describe(
        'Read each page after its scripts have run. Needs Chromium on the server, and is slow.',
      )
      .meta({ title: 'Run its scripts' }),
    respect_robots_txt: z
      .boolean()
      .default(true)
      .describe(
        'Heed robots.txt, robots meta tags and `X-Robots-Tag`. Turn it off for your own site only.',
      )
      .meta({ title: 'Heed robots.txt' }),
  })
  .superRefine((settings, refinement) => {
    if (settings.web_connector_type === 'upload' || readBaseUrl(settings.base_url)) return;
    refinement.addIssue({
      code: 'custom',
      path: ['base_url'],
      message: 'This is not a web address. Write it like https://docs.example.com/guide/.',
    });
  });
export type WebSettings = z.infer<typeof webSettings>;
