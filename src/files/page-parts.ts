import { type HtmlElement, isElement, rawText } from './html-tree.ts';

/** Left out wherever they occur. */
const NEVER_CONTENT = new Set(
  'head script style noscript template iframe object embed svg canvas audio video dialog select button textarea nav title'.split(
    ' ',
  ),
);
const NEVER_ROLES = new Set(
  'navigation search banner contentinfo dialog alertdialog menu menubar'.split(' '),
);
/** Names that themes give to what surrounds the text. Whole class names only: `has-sidebar` names a page. */
const SURROUNDING =
  /^(?:(?:site|page|print|global|main|primary|secondary|top|bottom|left|right|doc|docs|mobile|theme-doc|on-this-page)[-_]*)?(?:(nav|navbar|navigation|topnav|sidenav|menu|sidebar|related)|(?:nav|doc)[-_]?(?:header|footer|nav|bar)|masthead|breadcrumbs?|footer|toc|table-of-contents|pagination|pager|prev-next|next-prev|skip-?links?|skip-to-(?:main-?)?content|share|sharing|social(?:-links|-share)?|newsletter(?:-signup)?|subscribe|adverts?|advertisement|ads|popup|modal|(?:jp-?)?related-?(?:posts|articles|links)|comment-respond|(?:edit|view)-(?:this-)?(?:page|on-github|source)(?:-link)?|(?:lang|languages?|locale|version)(?:[-_](?:switch(?:er)?|select(?:or)?|picker|menu|list|links|toggle))?s?|toplang|bottomlang|toolbar|feedback|page-feedback|was-this-helpful|back-to-top|last-(?:updated|modified))(?:[-_]*(?:container|wrapper|inner|menu|links|list|widget))?$/i;
/** Names that consent tools give to their notices. The word alone may also be the topic of a bakery or a doctor. */
const CONSENT =
  /onetrust|cookiebot|cookielaw|gdpr|cc-window|cookies?[-_]*(?:consent|banner|notice|notification|bar|law|policy|popup|modal|overlay|settings|preferences|message|alert|warning|info|dialog|disclaimer|container|wall|hint)|consent[-_]*(?:banner|manager|popup|modal|bar|overlay|box|dialog|notice|container|sdk|tool)/i;
/** The mark beside a heading that links to it. */
const ANCHORS = new Set(
  'headerlink header-anchor anchor anchorjs-link hash-link heading-anchor'.split(' '),
);
/** Beside a heading, what to do with it: "edit", "click to toggle source". */
const CONTROLS = new Set('mw-editsection method-click-advice'.split(' '));
/** The numbers beside lines of code. */
const LINE_NUMBERS = new Set(
  'linenos linenodiv lineno line-numbers-rows hljs-ln-numbers'.split(' '),
);

/** Navigation, forms, films, hidden elements, and the marks beside headings and lines of code. */
export function isNeverContent(element: HtmlElement): boolean {
  const { name, attribs } = element;
  if (NEVER_CONTENT.has(name)) return true;
  if (name === 'input') return !isTask(element);
  const role = attribs['role'];
  if (role !== undefined && NEVER_ROLES.has(role)) return true;
  if (attribs['aria-hidden'] === 'true' || isHidden(attribs)) return true;
  if (name === 'a' && isJumpMark(element)) return true;
  if (attribs['class'] === undefined) return false;
  const classes = classesOf(element);
  if (name === 'a') return classes.some((one) => ANCHORS.has(one));
  if (name === 'td')
    return classes.some((one) => /^(?:blob-num|gutter|rouge-gutter|linenos)$/.test(one));
  return classes.some((one) => LINE_NUMBERS.has(one) || CONTROLS.has(one));
}

/** A sign without words that links to a place on the same page: beside a heading, or back to the top. */
function isJumpMark(link: HtmlElement): boolean {
  if (link.attribs['href']?.startsWith('#') !== true || link.children.length > 3) return false;
  return !/[\p{L}\p{N}]/u.test(rawText(link));
}

/** Tabs hide the panels that are not selected, and a browser's search may open what is hidden `until-found`. */
function isHidden(attribs: Record<string, string>): boolean {
  const hidden = attribs['hidden'];
  return hidden !== undefined && hidden !== 'until-found' && attribs['role'] !== 'tabpanel';
}

/** A checkbox in a task list. */
function isTask({ parent }: HtmlElement): boolean {
  for (let box = parent, levels = 0; box && levels < 2; box = box.parent, levels += 1) {
    if (isElement(box) && box.name === 'li') return true;
  }
  return false;
}

export function classesOf({ attribs }: HtmlElement): string[] {
  return wordsOf(attribs['class']);
}

export function hasConsentName({ attribs }: HtmlElement): boolean {
  const { class: classes = '', id = '' } = attribs;
  return (classes !== '' && isConsent(classes)) || (id !== '' && isConsent(id));
}

/** `ambiguous` for names that content may have, too. */
export function hasSurroundingName({ attribs }: HtmlElement): 'ambiguous' | 'clear' | null {
  let found: 'ambiguous' | 'clear' | null = null;
  for (const name of [...wordsOf(attribs['class']), ...wordsOf(attribs['id'])]) {
    const kind = surroundingKind(name);
    if (kind === 'clear') return kind;
    found ??= kind;
  }
  return found;
}

const isConsent = remembered((names) => CONSENT.test(names));
const surroundingKind = remembered((name): 'ambiguous' | 'clear' | null => {
  const match = SURROUNDING.exec(name);
  if (!match) return null;
  return match[1] === undefined ? 'clear' : 'ambiguous';
});

const MAX_REMEMBERED = 5_000;

/** Pages of a site repeat the same names. */
function remembered<T>(judge: (name: string) => T): (name: string) => T {
  const known = new Map<string, T>();
  return (name) => {
    const before = known.get(name);
    if (before !== undefined) return before;
    if (known.size >= MAX_REMEMBERED) known.clear();
    const verdict = judge(name);
    known.set(name, verdict);
    return verdict;
  };
}

function wordsOf(text: string | undefined): string[] {
  return text === undefined ? [] : text.split(/\s+/).filter(Boolean);
}
