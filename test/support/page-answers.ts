import type { SitePage } from './lead-site.ts';

/** A response of this type; without a type when it is empty. */
export const sends =
  (type: string, body: string | Buffer, headers: Record<string, string> = {}): SitePage =>
  (_, response) =>
    void response.writeHead(200, { ...(type && { 'content-type': type }), ...headers }).end(body);

export const movesTo =
  (target: string): SitePage =>
  (_, response) =>
    void response.writeHead(302, { location: Buffer.from(target).toString('latin1') }).end();

export const htmlPage = (body: string, title = 'A page'): string =>
  `<!doctype html><html><head><title>${title}</title></head><body>${body}</body></html>`;
