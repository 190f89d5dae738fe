import { call, type Reply } from '#src/console/web/data/call.ts';
import { useLive } from '#src/console/web/data/live.ts';
import { go, link, linkWith, query } from '#src/console/web/data/place.ts';
import { may } from '#src/console/web/data/session.ts';
import { put, refresh, useResource } from '#src/console/web/data/store.ts';
import { badge } from '#src/console/web/parts/badge.ts';
import { button } from '#src/console/web/parts/button.ts';
import { closeDialog, openDialog } from '#src/console/web/parts/dialog.ts';
import { choiceFilter } from '#src/console/web/parts/filter.ts';
import { form, type Values } from '#src/console/web/parts/form.ts';
import type { Part } from '#src/console/web/parts/html.ts';
import { count, plural } from '#src/console/web/parts/number.ts';
import { empty, known, liveMark, page } from '#src/console/web/parts/page.ts';
import { pager, rowLink, table, twoLines } from '#src/console/web/parts/table.ts';
import { time } from '#src/console/web/parts/time.ts';

type Found = Reply<'GET /tools/lead-scraper'>;
type Scrape = Found['scrapes'][number];
const STATUSES = ['queued', 'running', 'completed', 'failed', 'canceled'] as const;
const ENRICHMENT = ['email', 'phone', 'socials', 'company_info', 'other_socials'] as const;
const USUAL = ENRICHMENT.filter((name) => name !== 'other_socials');

const reload = (): Promise<void> => refresh('GET /tools/lead-scraper');

/** Which leads were looked for, and what was found? */
export function Leads(): Part {
  const status = STATUSES.find((name) => name === query.value.get('status'));
  const cursor = query.value.get('cursor');
  const listing = { query: { status, cursor, limit: 50 } };
  const scrapes = useResource('GET /tools/lead-scraper', listing);
  const take = (data: unknown): void => {
    // The stream has the shape of the description, which says what this topic tells.
    if (status === undefined && cursor === null)
      put('GET /tools/lead-scraper', listing, data as Found);
    else void reload();
  };
  useLive({ leads: take }, reload);
  return page({
    title: 'Leads',
    about: 'People and companies found on the web, each value with where it was found.',
    actions: [
      liveMark(),
      may('member') &&
        button({ text: 'Find leads', icon: 'plus', look: 'primary', run: askToScrape }),
    ],
    content: [
      choiceFilter({ name: 'status', label: 'State', options: STATUSES }),
      known(scrapes, (found) => scrapeTable(found, status !== undefined), reload),
    ],
  });
}

export function isRunning({ status }: Pick<Scrape, 'status'>): boolean {
  return status === 'queued' || status === 'running';
}

function scrapeTable({ scrapes, next_cursor: next }: Found, isFiltered: boolean): Part {
  if (scrapes.length === 0) {
    return empty(
      isFiltered
        ? 'No search has this state.'
        : 'Searches for leads will be listed here, newest first.',
      may('member') && button({ text: 'Find leads', run: askToScrape }),
    );
  }
  return table({
    caption: 'Searches for leads',
    rows: scrapes,
    isLinked: true,
    keyOf: ({ scrape_id }) => scrape_id,
    columns: [
      {
        name: 'Searched for',
        role: 'main',
        show: (one) =>
          twoLines(
            rowLink(one.query, link(`/leads/${one.scrape_id}`)),
            one.error ?? (one.mode === 'scrape_url' ? addresses(one.urls) : 'words'),
            { matters: one.error !== null },
          ),
      },
      { name: 'State', role: 'state', show: ({ status }) => badge(status) },
      { name: 'Leads', isNumber: true, label: 'leads', show: (one) => count(one.total_results) },
      { name: 'Pages', isNumber: true, label: 'pages', show: (one) => count(one.pages_done) },
      { name: 'Begun', label: 'begun', show: ({ created_at }) => time(created_at) },
      { name: 'Kept until', role: 'wide', show: ({ expires_at }) => time(expires_at) },
    ],
    foot: pager({
      count: `${plural(scrapes.length, 'search', 'searches')} on this page`,
      firstHref: query.value.has('cursor') ? linkWith({ cursor: null }) : null,
      nextHref: next && linkWith({ cursor: next }),
    }),
  });
}

function addresses(urls: Scrape['urls']): string {
  return urls === null ? 'one site' : plural(urls.length, 'address', 'addresses');
}

function askToScrape(): void {
  openDialog({
    title: 'Find leads',
    content: () =>
      form({
        action: 'Begin',
        cancel: closeDialog,
        fields: [
          {
            name: 'mode',
            label: 'Look',
            kind: 'choice',
            isRequired: true,
            options: [
              { value: 'keyword_search', text: 'on the web, by words' },
              { value: 'scrape_url', text: 'on one site, by its address' },
            ],
          },
          {
            name: 'query',
            label: 'Words or address',
            kind: 'text',
            isRequired: true,
            maxLength: 2_000,
            placeholder: 'dental practices in Leeds',
          },
          {
            name: 'max_results',
            label: 'Leads at most',
            kind: 'number',
            value: 25,
            min: 1,
            max: 50,
            isRequired: true,
          },
          {
            name: 'enrichment',
            label: 'Also look for',
            kind: 'many',
            value: USUAL,
            options: ENRICHMENT.map((value) => ({ value, text: value.replaceAll('_', ' ') })),
          },
        ],
        submit: begin,
      }),
  });
}

/** Does not wait for the end: the page of the search shows what is found as it is found. */
async function begin({ mode, query: text, max_results: most, enrichment }: Values): Promise<void> {
  const chosen: readonly unknown[] = Array.isArray(enrichment) ? enrichment : [];
  const begun = await call('POST /tools/lead-scraper', {
    headers: { prefer: 'respond-async' },
    body: {
      mode: mode === 'scrape_url' ? 'scrape_url' : 'keyword_search',
      query: String(text),
      max_results: Number(most),
      enrichment: ENRICHMENT.filter((name) => chosen.includes(name)),
    },
  });
  closeDialog();
  void reload();
  const id: unknown = Reflect.get(begun, 'scrape_id');
  if (typeof id === 'string') go(`/leads/${id}`);
}
