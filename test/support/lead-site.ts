import { once } from 'node:events';
import { createServer, type IncomingMessage, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';

/** The response for a path: HTML, or whatever the function does. */
export type SitePage = string | ((request: IncomingMessage, response: ServerResponse) => void);

/** A test web site with its own loopback address, so that it counts as a separate site. */
export interface LeadSite extends AsyncDisposable {
  /** Without a trailing slash. */
  readonly url: string;
  readonly host: string;
  /** Requested paths, in order. */
  readonly requests: readonly string[];
  pages: Record<string, SitePage>;
}

let sites = 0;

/** All of 127.0.0.0/8 is this machine; two sites of a test run hardly ever share an address. */
function ownAddress(): string {
  sites += 1;
  const random = Math.floor(Math.random() * 254);
  return `127.${1 + (process.pid % 254)}.${random}.${1 + (sites % 254)}`;
}

export async function startLeadSite(pages: Record<string, SitePage>): Promise<LeadSite> {
  const requests: string[] = [];
  const host = ownAddress();
  const site = { pages };
  const server = createServer((request, response) => {
    const path = request.url ?? '/';
    requests.push(path);
    const page = site.pages[path];
    if (typeof page === 'function') page(request, response);
    else if (page === undefined)
      response.writeHead(404, { 'content-type': 'text/html' }).end('Gone.');
    else response.writeHead(200, { 'content-type': 'text/html; charset=utf-8' }).end(page);
  });
  server.listen(0, host);
  await once(server, 'listening');
  const { port } = server.address() as AddressInfo; // a server that listens on TCP has an address
  return {
    url: `http://${host}:${port}`,
    host,
    requests,
    get pages() {
      return site.pages;
    },
    set pages(next) {
      site.pages = next;
    },
    async [Symbol.asyncDispose]() {
      server.closeAllConnections();
      server.close();
      await once(server, 'close');
    },
  };
}

/** A firm with a home page, a contact page and a team page of three. */
export function firmPages(name: string, domain: string): Record<string, string> {
  const page = (title: string, body: string) =>
    `<!doctype html><html lang="en"><head><title>${title} | ${name}</title>
    <meta property="og:site_name" content="${name}"></head><body>
    <nav><a href="/">Home</a> <a href="/contact">Contact</a> <a href="/team">Our team</a></nav>
    <main>${body}</main></body></html>`;
  const person = (fullName: string, role: string, local: string) =>
    `<div class="card"><h3>${fullName}</h3><p class="role">${role}</p>
    <a href="mailto:${local}@${domain}">Write</a>
    <a href="https://www.linkedin.com/in/${local.replace('.', '-')}">LinkedIn</a></div>`;
  return {
    '/': page('Welcome', `<h1>${name}</h1><p>We roast coffee by hand.</p>`),
    '/contact': page(
      'Contact',
      `<h1>Contact</h1><p>Write to <a href="mailto:info@${domain}">info@${domain}</a>
      or call <a href="tel:+442079460958">+44 20 7946 0958</a>.</p>`,
    ),
    '/team': page(
      'Team',
      `<h1>Our team</h1><div class="team">
      ${person('Ada Hartley', 'Managing Director', 'ada.hartley')}
      ${person('Ben Okafor', 'Head of Sales', 'ben.okafor')}
      ${person('Carla Reyes', 'Roast Master', 'carla.reyes')}</div>`,
    ),
  };
}
