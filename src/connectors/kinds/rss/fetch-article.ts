import { GiveUp } from '#src/platform/errors.ts';
import { CLIENT_ERRORS } from '#src/connectors/source/client-errors.ts';
import type { ConnectorContext } from '#src/connectors/source/connector.ts';
import { decodePage } from '#src/files/decode-page.ts';
import { extractPage } from '#src/connectors/kinds/web/extract-page.ts';
import { openPage } from '#src/files/open-page.ts';
import { kindOfAnswer } from '#src/connectors/kinds/web/page-kind.ts';
import { readDirections } from '#src/connectors/kinds/web/page-links.ts';
import type { Robots } from '#src/connectors/kinds/web/read-robots.ts';
import { SourceRefused } from '#src/connectors/source/source-errors.ts';

const MAX_ARTICLE_BYTES = 5 * 1024 * 1024;

/**
 * The readable text of the page that a feed item links to; null when the page does not exist, is not an article, or
 * must not be kept. The item's own text is used then.
 * @throws SourceUnavailable
 */
export async function fetchArticle(
  link: string,
  robots: Robots,
  context: ConnectorContext,
): Promise<string | null> {
  try {
    if (!(await robots.isAllowed(link))) return null;
    await robots.awaitTurn(link);
    const answer = await context.http.send({
      url: link,
      headers: { accept: 'text/html,application/xhtml+xml' },
      maxBytes: MAX_ARTICLE_BYTES,
      expect: CLIENT_ERRORS,
    });
    const type = answer.headers.get('content-type') ?? '';
    const place = new URL(answer.url);
    if (answer.status >= 400 || kindOfAnswer(place, type, answer.bytes).kind !== 'html')
      return null;
    const html = decodePage(answer.bytes, type);
    if (html === null) return null;
    const page = openPage(html);
    const { noindex } = readDirections(page, place.href, answer.headers.get('x-robots-tag'), true);
    return noindex ? null : extractPage(page, link, { mintlifyCleanup: true }).text || null;
  } catch (error) {
    if (error instanceof SourceRefused || error instanceof GiveUp) return null;
    throw error;
  }
}
