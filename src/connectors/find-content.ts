import type { CheerioAPI } from 'cheerio';

type Box = ReturnType<typeof bodyOf>;

/** Left out wherever it stands. */
const NEVER_CONTENT =
  'head, script, style, noscript, template, iframe, object, embed, svg, canvas, audio, video, dialog, form input, select, button, textarea, nav, [hidden], [aria-hidden="true"], [role="navigation"], [role="search"], [role="banner"], [role="contentinfo"], [role="dialog"], [role="alertdialog"], [role="menu"], [role="menubar"]';
/** Names that themes and consent tools give to what surrounds the text. Whole class names only: `has-sidebar` is a page. */
const SURROUNDING =
  /^(?:(?:site|page|global|main|primary|top|left|right|doc|docs|mobile|theme-doc|on-this-page)[-_]*)?(?:nav|navbar|navigation|topnav|sidenav|menu|sidebar|breadcrumbs?|footer|toc|table-of-contents|pagination|pager|prev-next|skip-?links?|skip-to-content|share|sharing|social(?:-links|-share)?|newsletter(?:-signup)?|subscribe|adverts?|advertisement|ads|popup|modal|related(?:-posts|-articles|-links)?|edit-(?:this-)?page|toolbar)(?:[-_]*(?:container|wrapper|inner|menu|links|list|widget))?$/i;
const CONSENT = /cookie|consent|gdpr|onetrust|cookiebot/i;
/** The mark beside a heading that links to it, and the numbers beside lines of code. */
const MARKS =
  'a.headerlink, a.header-anchor, a.anchor, a.anchorjs-link, a.hash-link, a.heading-anchor, .linenos, .linenodiv, .lineno, .line-numbers-rows, td.blob-num';
/** Above this share of the words of a box, links are its purpose. */
const LINK_SHARE = 0.75;
const MIN_LINKS = 4;
/** No box with more than this share of the page is taken for something that surrounds it. */
const MAX_SURROUNDING_SHARE = 0.5;

/**
 * The HTML of what a page is about: one `main` (the author's own word on it, HTML Living Standard §4.4.14) or one
 * `article`, else the body without what its tags, roles, names and share of links show to surround it. Headings,
 * lists, tables and code stay; links become their words. Changes `page`.
 */
export function findContent(page: CheerioAPI, options: { mintlifyCleanup: boolean }): string {
  const isMintlify = /mintlify/i.test(page('meta[name="generator" i]').attr('content') ?? '');
  page(NEVER_CONTENT).remove();
  page(MARKS).remove();
  if (options.mintlifyCleanup && isMintlify) page('.sticky, .hidden').remove();
  const body = bodyOf(page);
  const whole = textLength(body);
  removeNamed(page, whole);
  const marked = onlyOne(page, 'main, [role="main"]') ?? onlyOne(page, 'article, [role="article"]');
  const content = marked ?? body;
  content.find('footer').remove();
  if (!marked) removeSurrounding(page, body);
  flattenLayoutTables(page, content);
  content.find('a').each((_, link) => {
    page(link).replaceWith(page(link).contents());
  });
  return content.html() ?? '';
}

function bodyOf(page: CheerioAPI) {
  return page('body');
}

function onlyOne(page: CheerioAPI, selector: string): Box | null {
  // A `main` within a `main` is found twice and still one.
  const found = page(`:is(${selector}):not(:is(${selector}) *)`);
  return found.length === 1 && textLength(found) > 0 ? found : null;
}

function removeNamed(page: CheerioAPI, whole: number): void {
  page('[class], [id]').each((_, element) => {
    const box = page(element);
    const names = `${box.attr('class') ?? ''} ${box.attr('id') ?? ''}`.split(/\s+/).filter(Boolean);
    const isConsent = CONSENT.test(names.join(' '));
    if (!isConsent && !names.some((name) => SURROUNDING.test(name))) return;
    if (/^(?:html|body|main|article|h[1-6]|pre|code|table|td)$/.test(element.tagName)) return;
    if (box.find('main, article, h1').length > 0) return;
    // A page about cookies is full of these words; a notice about them is short.
    if (textLength(box) <= whole * (isConsent ? 0.2 : MAX_SURROUNDING_SHARE)) box.remove();
  });
}

/** A page without marks of its own: its header without headings, and boxes that consist of links. */
function removeSurrounding(page: CheerioAPI, body: Box): void {
  body.find('header, aside').each((_, element) => {
    const box = page(element);
    if (box.find('h1').length === 0 && box.parents('article').length === 0) box.remove();
  });
  const before = body.html() ?? '';
  const whole = textLength(body);
  body.find('ul, ol, div, section, table').each((_, element) => {
    const box = page(element);
    const links = box.find('a');
    if (links.length < MIN_LINKS) return;
    const length = textLength(box);
    const isLinks = textLength(links) > length * LINK_SHARE;
    if (isLinks && length <= whole * MAX_SURROUNDING_SHARE && box.find('h1').length === 0)
      box.remove();
  });
  // A page that is nothing but links, such as an index, keeps them.
  if (textLength(body) === 0) body.html(before);
}

/** Tables that arrange the page instead of holding figures: with tables, headings or code inside, or only one column. */
function flattenLayoutTables(page: CheerioAPI, content: Box): void {
  content.find('table').each((_, element) => {
    const table = page(element);
    const isLayout =
      /^(?:presentation|none)$/i.test(table.attr('role') ?? '') ||
      table.find('table, h1, h2, h3, pre').length > 0 ||
      table
        .find('tr')
        .toArray()
        .every((row) => page(row).children('td, th').length <= 1);
    if (!isLayout) return;
    table
      .find('td, th')
      .filter((__, cell) => page(cell).closest('table').is(table))
      .each((__, cell) => {
        cell.tagName = 'div';
      });
    for (const part of table.find('tbody, thead, tfoot, tr').toArray()) {
      if (page(part).closest('table').is(table)) part.tagName = 'div';
    }
    element.tagName = 'div';
  });
}

function textLength(box: { text(): string }): number {
  return box.text().replace(/\s+/g, ' ').trim().length;
}
