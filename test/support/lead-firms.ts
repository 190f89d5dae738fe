import { firmPages, type LeadSite, type SitePage, startLeadSite } from './lead-site.ts';

/** A firm's site whose last page can be held back. */
export interface LeadFirm extends AsyncDisposable {
  readonly site: LeadSite;
  /** Names of its three people. */
  readonly names: readonly string[];
  /** Holds back the last page from now on. A visit waits 10 s for a page. */
  hold(): void;
  /** Answers the last page from now on, also for waiting requests. */
  release(): void;
}

/** The last of its three pages; a request for it follows requests for the others. */
export const LAST_PAGE = '/team';

const SURNAMES = ['Abbott', 'Bellamy', 'Carter', 'Dixon', 'Ellwood', 'Foster', 'Greene', 'Hughes'];

/** Eight firms, numbered from 0, that share no name, address, phone or profile. */
export async function startFirm(number: number, { isHeld = false } = {}): Promise<LeadFirm> {
  const surname = SURNAMES[number % SURNAMES.length] ?? '';
  let gate = Promise.withResolvers<void>();
  if (!isHeld) gate.resolve();
  const pages = Object.entries(firmPages(`${surname} Coffee`, `${surname.toLowerCase()}.example`));
  const own = pages.map(([path, html]): [string, SitePage] => [path, ownPage(html)]);
  const site = await startLeadSite({
    '/robots.txt': (_request, response) => response.end(''),
    ...Object.fromEntries(own),
  });
  const page = site.pages[LAST_PAGE];
  site.pages[LAST_PAGE] = (_request, response) => {
    response.on('error', () => undefined);
    void gate.promise.then(() =>
      response.writeHead(200, { 'content-type': 'text/html; charset=utf-8' }).end(page),
    );
  };
  return {
    site,
    names: ['Ada', 'Ben', 'Carla'].map((first) => `${first} ${surname}`),
    hold: () => {
      gate = Promise.withResolvers();
    },
    release: () => gate.resolve(),
    async [Symbol.asyncDispose]() {
      gate.resolve();
      await site[Symbol.asyncDispose]();
    },
  };

  function ownPage(html: string): string {
    return html
      .replaceAll(/Hartley|Okafor|Reyes/g, surname)
      .replaceAll(/hartley|okafor|reyes/g, surname.toLowerCase())
      .replaceAll('0958', `096${number}`);
  }
}
