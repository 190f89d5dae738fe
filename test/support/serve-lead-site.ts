import { once } from 'node:events';
import { createServer, type IncomingMessage, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import { createHttpClient, type HttpClient } from '#src/platform/http.ts';
import type { SiteLabel } from './lead-site-label.ts';
import type { LeadSite } from './read-lead-sites.ts';

/** A labelled site on a real server. */
export interface ServedLeadSite extends AsyncDisposable {
  /** Where a visit starts; other hosts do not exist. */
  readonly start: string;
  readonly http: HttpClient;
}

type Answer = SiteLabel['responses'][string];

/** Serves `responses` and `robots` on the default ports of the site's host; everything else is a 404. */
export async function serveLeadSite(site: LeadSite): Promise<ServedLeadSite> {
  const server = createServer((request, response) => answer(site, request, response));
  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
  // A server that listens on TCP has an address with a port.
  const { port } = server.address() as AddressInfo;
  const own = createHttpClient({
    allowCidrs: ['127.0.0.1/32'],
    proxyUrl: null,
    lookup: (host) =>
      bareHost(host) === bareHost(site.host)
        ? Promise.resolve([{ address: '127.0.0.1', family: 4 }])
        : Promise.reject(Object.assign(new Error('unknown'), { code: 'ENOTFOUND' })),
  });
  return {
    start: `https://${site.host}${site.start}`,
    http: throughPort(own, port),
    async [Symbol.asyncDispose]() {
      await own[Symbol.asyncDispose]();
      server.closeAllConnections();
      server.close();
      await once(server, 'close');
    },
  };
}

/** Sends ports 80 and 443 of every host to this port, without TLS, so that URLs are those of the labelled pages. */
function throughPort(http: HttpClient, port: number): HttpClient {
  return {
    guard: http.guard,
    async send(request) {
      const url = new URL(request.url);
      const { protocol } = url;
      url.protocol = 'http:';
      url.port = String(port);
      const response = await http.send({ ...request, url: url.href });
      const landed = new URL(response.url);
      landed.port = '';
      landed.protocol = protocol;
      return { ...response, url: landed.href, text: () => response.text() };
    },
    [Symbol.asyncDispose]: () => http[Symbol.asyncDispose](),
  };
}

/** Sites respond with and without `www.`. */
function bareHost(host: string): string {
  return host.replace(/^www\./, '');
}

function answer(site: LeadSite, request: IncomingMessage, response: ServerResponse): void {
  const path = request.url ?? '/';
  if (path === '/robots.txt' && site.robots !== null) {
    response.writeHead(200, { 'content-type': 'text/plain; charset=utf-8' }).end(site.robots);
    return;
  }
  const found = answerFor(site, path);
  const chosen = found && 'requires_cookie' in found ? guarded(found, request) : found;
  if (chosen === undefined) {
    response.writeHead(404, { 'content-type': 'text/html' }).end('<p>Not found');
    return;
  }
  const body = chosen.file === undefined ? '' : (site.files.get(chosen.file) ?? '');
  const status = chosen.status ?? 200;
  response.writeHead(status, { 'content-type': typeOf(chosen.file ?? ''), ...chosen.headers });
  response.end(body);
}

/** Links may be percent-encoded where the label has letters. */
function answerFor({ responses }: LeadSite, path: string): Answer | undefined {
  return responses[path] ?? responses[decodedPath(path)];
}

function decodedPath(path: string): string {
  try {
    return decodeURI(path);
  } catch {
    return path;
  }
}

function guarded(
  answer: Extract<Answer, { requires_cookie: string }>,
  { headers }: IncomingMessage,
): Exclude<Answer, { requires_cookie: string }> {
  const cookies = (headers.cookie ?? '').split(/;\s*/);
  if (!cookies.includes(answer.requires_cookie)) return answer.otherwise;
  return { file: answer.file, ...(answer.headers && { headers: answer.headers }) };
}

function typeOf(file: string): string {
  if (file.endsWith('.vcf')) return 'text/vcard; charset=utf-8';
  if (file.endsWith('.json')) return 'application/json';
  // Pages name their own charset.
  return 'text/html';
}
