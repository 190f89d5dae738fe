import { call, type Reply } from '#src/console/web/data/call.ts';
import { useLive } from '#src/console/web/data/live.ts';
import { go, link } from '#src/console/web/data/place.ts';
import { may } from '#src/console/web/data/session.ts';
import { put, refresh, useResource } from '#src/console/web/data/store.ts';
import { badge } from '#src/console/web/parts/badge.ts';
import { button } from '#src/console/web/parts/button.ts';
import { confirm, openDialog } from '#src/console/web/parts/dialog.ts';
import { html, type Part, type Parts } from '#src/console/web/parts/html.ts';
import { count, countText, duration, plural } from '#src/console/web/parts/number.ts';
import { outsideLink } from '#src/console/web/parts/outside-link.ts';
import {
  empty,
  facts,
  figures,
  known,
  liveMark,
  notice,
  page,
  section,
} from '#src/console/web/parts/page.ts';
import { table, twoLines } from '#src/console/web/parts/table.ts';
import { saveCsv } from '#src/console/web/parts/save-csv.ts';
import { say } from '#src/console/web/parts/toast.ts';
import { evidenceLine, placeOf } from './lead-evidence.ts';
import { isRunning } from './leads.ts';

type Scrape = Reply<'GET /tools/lead-scraper/{scrape_id}'>;
type Lead = Scrape['leads'][number];
type Told = Record<'scrape', Scrape>;

const reload = (): Promise<void> =>
  refresh('GET /tools/lead-scraper/{scrape_id}', 'GET /tools/lead-scraper');

/** What one search found, and where. */
export function LeadScrape({ id = '' }: { id?: string }): Part {
  const which = { path: { scrape_id: id } };
  const scrape = useResource('GET /tools/lead-scraper/{scrape_id}', which);
  const { data } = scrape;
  // The stream has the shape of the description, which says what this topic tells.
  const take = (told: unknown): void =>
    put('GET /tools/lead-scraper/{scrape_id}', which, (told as Told).scrape);
  useLive({ [`scrape:${id}`]: take }, reload);
  return page({
    title: data?.query ?? 'Search for leads',
    under: { text: 'Leads', href: link('/leads') },
    badge: data && badge(data.status),
    actions: data && [liveMark(), actions(data)],
    content: known(scrape, show, reload),
  });
}

function actions(scrape: Scrape): Parts {
  const { scrape_id, leads, query } = scrape;
  return [
    button({
      text: 'Save as CSV',
      whyNot: leads.length === 0 ? 'Nothing is found yet.' : null,
      run: () => saveCsv(`leads-${scrape_id}.csv`, CSV_COLUMNS, leads.map(csvRow)),
    }),
    isRunning(scrape) &&
      may('member') &&
      button({
        text: 'Stop',
        icon: 'stop',
        run: async () => {
          await call('POST /tools/lead-scraper/{scrape_id}/cancel', { path: { scrape_id } });
          say('It stops. What is found so far stays.');
          await reload();
        },
      }),
    may('member') &&
      button({
        text: 'Delete',
        look: 'danger',
        run: () =>
          confirm({
            title: 'Delete a search',
            explain: html`<strong>${query}</strong> with its ${plural(leads.length, 'lead')}.`,
            action: `Delete 1 search and ${plural(leads.length, 'lead')}`,
            run: async () => {
              await call('DELETE /tools/lead-scraper/{scrape_id}', { path: { scrape_id } });
              void refresh('GET /tools/lead-scraper');
              say('The search is deleted.');
              go('/leads');
            },
          }),
      }),
  ];
}

function show(scrape: Scrape): Parts {
  const { sites, leads, error, warnings } = scrape;
  return [
    error !== null && notice('red', error),
    error === null && warnings.map((warning) => notice('amber', warning)),
    figures([
      { name: 'Leads', value: count(leads.length) },
      { name: 'Pages read', value: count(scrape.pages_done) },
      { name: 'Sites', value: count(sites.length) },
      { name: 'Took', value: duration(scrape.processing_time_ms) },
      { name: 'Found by', value: scrape.provider ?? '–', isWords: true },
    ]),
    leads.length === 0
      ? empty(
          isRunning(scrape) ? 'Leads will be listed here as they are found.' : 'No lead was found.',
        )
      : leadTable(leads),
    sites.length > 0 && section({ title: 'Sites', isFlush: true, content: siteTable(sites) }),
  ];
}

function leadTable(leads: readonly Lead[]): Part {
  return table({
    caption: 'Leads',
    hasMany: true,
    rows: leads,
    keyOf: ({ id }) => id,
    columns: [
      {
        name: 'Name',
        role: 'main',
        show: (lead) =>
          twoLines(
            html`<span>${lead.name || lead.company}</span>`,
            [lead.title, lead.name === '' ? '' : lead.company, listedOn(lead)]
              .filter(Boolean)
              .join(', ') || '–',
          ),
      },
      { name: 'E-mail', show: ({ email }) => email || '–' },
      { name: 'Telephone', show: ({ phone }) => phone || '–' },
      {
        name: 'Site',
        role: 'wide',
        show: ({ website }) =>
          website === '' ? '–' : outsideLink(website, URL.parse(website)?.host ?? website),
      },
      {
        name: 'Certainty',
        isNumber: true,
        label: 'certainty',
        show: (lead) => `${countText(Math.round(lead.confidence_score * 100))} %`,
      },
      {
        name: '',
        role: 'state',
        show: (lead) => button({ text: 'Evidence', look: 'tiny', run: () => showEvidence(lead) }),
      },
    ],
    foot: plural(leads.length, 'lead'),
  });
}

function listedOn({ found_on: site }: Lead): string {
  return site === undefined ? '' : `listed on ${site}`;
}

/** Where each value was found. */
function showEvidence(lead: Lead): void {
  openDialog({
    title: lead.name || lead.company,
    isWide: true,
    content: () =>
      facts(
        Object.entries(lead.evidence).map(
          ([name, found]) => [name.replaceAll('_', ' '), evidenceText(found)] as const,
        ),
      ),
  });
}

function evidenceText(found: Lead['evidence'][string]): Parts {
  return found.map(
    ({ value, sources }) =>
      html`<div>
        ${value === '' ? null : html`<div>${value}</div>`}
        ${sources.map(
          (source) => html`<div class="muted">${outsideLink(source.url, placeOf(source))}</div>`,
        )}
      </div>`,
  );
}

function siteTable(sites: Scrape['sites']): Part {
  return table({
    caption: 'Sites',
    rows: sites,
    keyOf: ({ url }) => url,
    columns: [
      {
        name: 'Site',
        role: 'main',
        show: ({ url, domain, error, problems: [problem] }) => {
          const reason = error ?? problem?.reason ?? null;
          return twoLines(outsideLink(url, domain), reason ?? url, { matters: reason !== null });
        },
      },
      { name: 'State', role: 'state', show: ({ status }) => badge(status) },
      { name: 'Pages', isNumber: true, label: 'pages', show: ({ pages }) => count(pages) },
    ],
  });
}

const CSV_COLUMNS = [
  'name',
  'title',
  'company',
  'email',
  'phone',
  'website',
  'linkedin',
  'twitter',
  'confidence',
  'evidence',
];

function csvRow(lead: Lead): string[] {
  const { name, title, company, email, phone, website, socials, confidence_score: score } = lead;
  return [
    name,
    title,
    company,
    email,
    phone,
    website,
    socials.linkedin,
    socials.twitter,
    String(score),
    evidenceLine(lead.evidence),
  ];
}
