import type { HtmlElement } from '#src/files/html-tree.ts';
import { isStructuredTechnique, type ContactCard } from './contact-card.ts';
import { nameMatchesAddress } from './name-matches-address.ts';
import { areDomainsAlike, domainOfEmail } from './own-domain.ts';
import type { PageSource } from './page-source.ts';
import { registrableDomain } from '#src/leads/lexicon/registrable-domain.ts';
import { kindOfName } from '#src/leads/lexicon/site-page-words.ts';
import { elementsOf } from './visible-page-text.ts';

const GENERATOR =
  /docusaurus|mkdocs|sphinx|vitepress|vuepress|gitbook|docsify|antora|starlight|nextra|mdbook|asciidoctor|doxygen|javadoc|typedoc|rustdoc|zensical|read ?the ?docs|docfx|slate|redoc|hugo book|just the docs/i;
const PATH = /\/(?:docs?|documentation|reference|api|manual|handbook|guides?|man|wiki)(?:\/|$)/i;
const HOST = /^(?:docs?|documentation|developers?|api|wiki|handbuch|manual)\./i;
const SIDEBAR =
  /(?:^|[\s_-])(?:sidebar|toc|table-of-contents|toctree|md-nav|sphinxsidebar|docs-nav|navigation-tree)(?:$|[\s_-])/i;
const CODE = new Set(['pre', 'code', 'samp', 'kbd']);
const PEOPLE_PAGES: ReadonlySet<string> = new Set(['team', 'about', 'contact', 'imprint']);
const PEOPLE_PATH =
  /^(?:community|maintainers|governance|contributors|comunidad|communaute|mitwirkende)$/i;
const FEW_CODES = 3;
const MAX_CODES = 5_000;

export interface DocumentationPage {
  /** Code blocks: contacts in them are samples. */
  code: HtmlElement[];
}

/**
 * Recognizes software documentation: by its generator, or by its address or a sidebar together with code. Pages about a
 * project's people do not count.
 */
export function documentationPage({ url, page }: PageSource): DocumentationPage | null {
  const code: HtmlElement[] = [];
  let hasSidebar = false;
  for (const element of elementsOf(page)) {
    if (CODE.has(element.name) && code.length < MAX_CODES) code.push(element);
    const { class: classes = '', id = '', role = '' } = element.attribs;
    hasSidebar ||= SIDEBAR.test(`${classes.slice(0, 200)} ${id.slice(0, 60)} ${role.slice(0, 60)}`);
  }
  const parsed = URL.parse(url);
  const names = [...(parsed?.pathname.split('/') ?? []), page.heading];
  const isAboutPeople = names.some(
    (name) => PEOPLE_PATH.test(name) || PEOPLE_PAGES.has(kindOfName(name)?.kind ?? ''),
  );
  const isAddressed = PATH.test(parsed?.pathname ?? '') || HOST.test(parsed?.hostname ?? '');
  const isMade = GENERATOR.test(page.metas.get('generator') ?? '');
  const isSigned = (isAddressed || hasSidebar) && code.length >= FEW_CODES;
  if (isAboutPeople) return null;
  return isMade || isSigned || (isAddressed && hasSidebar) ? { code } : null;
}

/** Removes headings that look like names: a real person has an address on the site. */
export function withoutHeadings(cards: readonly ContactCard[], url: string): ContactCard[] {
  const site = registrableDomain(url) ?? '';
  return cards.filter(({ kind, name, technique, emails }) => {
    if (kind !== 'person' || isStructuredTechnique(technique)) return true;
    return emails.some((email) => {
      const domain = domainOfEmail(email);
      const isOwn = domain !== null && areDomainsAlike(domain, site);
      return isOwn && name !== null && nameMatchesAddress(name, email);
    });
  });
}
