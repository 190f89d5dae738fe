import type { ConnectorPage } from '#src/connectors/source/connector.ts';
import { web } from '#src/connectors/kinds/web/web.ts';
import { collectPages, type TestContext } from '#test/support/connector-context.ts';
import { type FakeAnswer, type FakeSource, startFakeSource } from '#test/support/fake-source.ts';

/** A site of fixed answers; a string is an HTML page. */
export function startSite(pages: Record<string, string | FakeAnswer>): Promise<FakeSource> {
  return startFakeSource(({ url }) => {
    const page = pages[`${url.pathname}${url.search}`];
    if (page === undefined) return { status: 404, body: 'Not found' };
    return typeof page === 'string' ? html(page) : page;
  });
}

export function html(body: string, headers: Record<string, string> = {}): FakeAnswer {
  return { body, headers: { 'content-type': 'text/html; charset=utf-8', ...headers } };
}

export function page(title: string, links: string[] = [], head = ''): string {
  const anchors = links.map((link) => `<a href="${link}">${link}</a>`).join(' ');
  return `<!doctype html><title>${title}</title>${head}<body><nav>${anchors}</nav><main><p>Text of ${title}.</p></main>`;
}

export function poll(
  test: TestContext,
  settings: Record<string, unknown>,
  checkpoint: unknown = null,
): AsyncIterable<ConnectorPage<unknown>> {
  return web.poll(web.settings.parse(settings), {}, checkpoint, test.context);
}

export async function crawl(test: TestContext, settings: Record<string, unknown>) {
  const pages = await collectPages(poll(test, settings), test);
  const [documents, unchanged, skipped, failures, removed] = [
    pages.flatMap((step) => step.documents),
    pages.flatMap((step) => step.unchanged),
    pages.flatMap((step) => step.skipped),
    pages.flatMap((step) => step.failures),
    pages.flatMap((step) => step.removed),
  ];
  return {
    pages,
    documents,
    unchanged,
    skipped,
    failures,
    removed,
    paths: documents.map(({ id }) => id.replace(/^https?:\/\/[^/]+/, '')).toSorted(),
    reasons: skipped.map(({ reason }) => reason).toSorted(),
  };
}

export const pathsOf = (site: FakeSource): string[] =>
  site.requests.map(({ url }) => `${url.pathname}${url.search}`);
