import { once } from 'node:events';
import { createServer, type IncomingMessage, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import { contactCard } from '#src/leads/extract/contact-card.ts';
import type { ExtractedPage, ExtractorPool } from '#src/leads/extract/extracted-page.ts';
import { GiveUp } from '#src/platform/errors.ts';
import { createHttpClient, type HttpClient } from '#src/platform/http.ts';

/** The response of a host: HTML, a status, or whatever a function does with the request. */
export type SiteAnswer =
  | string
  | number
  | { status?: number; headers?: Record<string, string>; body?: string | Buffer }
  | ((request: IncomingMessage, response: ServerResponse) => void);

/** Hosts of a fake web, all on one local server. */
export interface LeadSites extends AsyncDisposable {
  readonly port: number;
  readonly http: HttpClient;
  /** `host/path` of each request, in the order of arrival. */
  readonly requests: string[];
  readonly userAgents: Set<string>;
  /** `http://host:port/path`. */
  url(hostAndPath: string): string;
  /** Requests for pages, without robots.txt. */
  pages(): string[];
}

/**
 * Serves `host/path` → answer; everything else is a 404. `{host}` in a body or a location is replaced by the host with
 * the server's port: `http://{acme.test}/x`.
 */
export async function startLeadSites(answers: Record<string, SiteAnswer>): Promise<LeadSites> {
  const requests: string[] = [];
  const userAgents = new Set<string>();
  const server = createServer((request, response) => {
    const host = (request.headers.host ?? '').replace(/:\d+$/, '');
    requests.push(`${host}${request.url}`);
    userAgents.add(request.headers['user-agent'] ?? '');
    response.on('error', () => undefined);
    respond(answers[`${host}${request.url}`] ?? 404, request, response);
  });
  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
  // A server that listens on TCP has an address with a port.
  const { port } = server.address() as AddressInfo;
  const http = createHttpClient({
    allowCidrs: ['127.0.0.1/32'],
    proxyUrl: null,
    userAgent: 'Millrace/test (+https://millrace.example)',
    lookup: (host) =>
      host.endsWith('.none.test')
        ? Promise.reject(Object.assign(new Error('unknown'), { code: 'ENOTFOUND' }))
        : Promise.resolve([
            { address: host.startsWith('inner.') ? '10.0.0.9' : '127.0.0.1', family: 4 },
          ]),
  });
  const filled = (text: string): string => text.replaceAll(/\{([\w.-]+)\}/g, `$1:${port}`);
  function respond(answer: SiteAnswer, request: IncomingMessage, response: ServerResponse): void {
    if (typeof answer === 'function') return answer(request, response);
    const whole =
      typeof answer === 'string'
        ? { body: answer }
        : typeof answer === 'number'
          ? { status: answer }
          : answer;
    const { status = 200, headers = {}, body = '' } = whole;
    const sent = Object.entries(headers).map(([name, value]) => [name, filled(value)]);
    response.writeHead(status, {
      'content-type': 'text/html; charset=utf-8',
      ...(Object.fromEntries(sent) as Record<string, string>),
    });
    response.end(typeof body === 'string' ? filled(body) : body);
  }
  return {
    port,
    http,
    requests,
    userAgents,
    url: (hostAndPath) => `http://${hostAndPath.replace('/', `:${port}/`)}`,
    pages: () => requests.filter((request) => !request.endsWith('/robots.txt')),
    async [Symbol.asyncDispose]() {
      await http[Symbol.asyncDispose]();
      server.closeAllConnections();
      server.close();
      await once(server, 'close');
    },
  };
}

/** A page with these links. */
export function linking(...hrefs: string[]): string {
  return `<!doctype html><body>${hrefs.map((href) => `<a href="${href}">${href}</a>`).join(' ')}`;
}

/**
 * Extracts the links and frames of a page, and one card: mail addresses after `mailto:`, phones after `tel:`. A page
 * with `BOMB` fails; one with `EMPTY` needs rendering.
 */
export function fakeExtractor(): ExtractorPool & { readonly read: string[] } {
  const read: string[] = [];
  return {
    read,
    extract({ url, html, kind, isOfMember, signal }) {
      signal.throwIfAborted();
      if (html.includes('BOMB')) return Promise.reject(new GiveUp('It took longer than 2 s.'));
      read.push(`${isOfMember ? 'member ' : ''}${kind} ${html}`);
      const hrefs = [...html.matchAll(/<a href="([^"]*)"/g)].map(([, href = '']) => href);
      const behind = (scheme: string): string[] =>
        hrefs.filter((href) => href.startsWith(scheme)).map((href) => href.slice(scheme.length));
      const links = hrefs.flatMap((href) => {
        const link = URL.parse(href, url);
        return link?.protocol.startsWith('http') ? [{ url: link.href, text: '' }] : [];
      });
      const frames = [...html.matchAll(/<i?frame src="([^"]*)"/g)].map(([, src = '']) => ({
        url: new URL(src, url).href,
        text: '',
        role: 'frame' as const,
      }));
      const card = contactCard({
        technique: 'mailto',
        kind: 'page',
        emails: behind('mailto:'),
        phones: behind('tel:'),
      });
      const page: ExtractedPage = {
        url,
        canonicalUrl: url,
        title: '',
        siteName: '',
        language: /lang="(\w+)"/.exec(html)?.[1] ?? '',
        cards: [card],
        links: [...links, ...frames],
        needsRendering: html.includes('EMPTY'),
      };
      return Promise.resolve(page);
    },
    [Symbol.asyncDispose]: () => Promise.resolve(),
  };
}
