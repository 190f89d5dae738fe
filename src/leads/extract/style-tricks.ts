import type { HtmlElement } from '#src/files/html-tree.ts';

/** Classes that the page's own style sheets hide or reverse, or put an at sign before or behind. */
export interface StyleTricks {
  hidden: ReadonlySet<string>;
  reversed: ReadonlySet<string>;
  signBefore: ReadonlySet<string>;
  signBehind: ReadonlySet<string>;
}

const MAX_STYLE_LENGTH = 300_000;
const HIDES = /display:none|visibility:hidden|font-size:0(?![.\d])|(?<![a-z-])opacity:0(?![.\d])/;
const IS_RTL = /direction:rtl/;
const OVERRIDES_DIRECTION = /unicode-bidi:(?:bidi-override|isolate-override)/;
const ADDS_SIGN = /(?:^|;)content:["'](?:@|\\0{0,4}40)["']/;
const PSEUDO_ELEMENT = /::?(before|after)$/i;
const CLASS_NAME = /\.([\p{L}_-][\p{L}\p{N}_-]{0,60})$/u;

/** All cards of a page share its style sheets. */
let last: { css: string; tricks: StyleTricks } | null = null;

/** Reads rules outside `@media` and the like whose selectors end in a class. */
export function styleTricks(css: string): StyleTricks {
  if (last?.css !== css) last = { css, tricks: readTricks(css) };
  return last.tricks;
}

function readTricks(css: string): StyleTricks {
  const hidden = new Set<string>();
  const reversed = new Set<string>();
  const signBefore = new Set<string>();
  const signBehind = new Set<string>();
  for (const { selectors, body } of topRules(css.slice(0, MAX_STYLE_LENGTH))) {
    const declarations = compact(body);
    const hides = HIDES.test(declarations);
    const addsSign = ADDS_SIGN.test(declarations);
    if (!hides && !addsSign && !isReversing(declarations)) continue;
    for (const selector of selectors.split(',')) {
      const pseudo = PSEUDO_ELEMENT.exec(selector.trim())?.[1]?.toLowerCase();
      const name = CLASS_NAME.exec(selector.trim().replace(PSEUDO_ELEMENT, ''))?.[1];
      if (name === undefined) continue;
      if (pseudo === undefined && !addsSign) (hides ? hidden : reversed).add(name);
      else if (pseudo !== undefined && addsSign)
        (pseudo === 'before' ? signBefore : signBehind).add(name);
    }
  }
  return { hidden, reversed, signBefore, signBehind };
}

export function isHidden({ attribs }: HtmlElement): boolean {
  if (attribs['hidden'] !== undefined && attribs['hidden'] !== 'until-found') return true;
  return attribs['style'] !== undefined && HIDES.test(compact(attribs['style']));
}

/** Whether its text is displayed in reverse. */
export function isReversed({ name, attribs }: HtmlElement): boolean {
  if (name === 'bdo') return attribs['dir']?.trim().toLowerCase() === 'rtl';
  return attribs['style'] !== undefined && isReversing(compact(attribs['style']), attribs['dir']);
}

export function hasClassOf({ attribs }: HtmlElement, classes: ReadonlySet<string>): boolean {
  if (classes.size === 0 || attribs['class'] === undefined) return false;
  return attribs['class'].split(/\s+/).some((name) => classes.has(name));
}

function isReversing(declarations: string, dir?: string): boolean {
  const isRtl = IS_RTL.test(declarations) || dir?.toLowerCase() === 'rtl';
  return isRtl && OVERRIDES_DIRECTION.test(declarations);
}

function compact(declarations: string): string {
  return declarations.slice(0, 2_000).replace(/\s+/g, '').toLowerCase();
}

function* topRules(css: string): Generator<{ selectors: string; body: string }> {
  let depth = 0;
  let from = 0;
  let opened = 0;
  for (let at = 0; at < css.length; at += 1) {
    const character = css[at];
    if (character === '{') {
      if (depth === 0) opened = at;
      depth += 1;
    } else if (character === '}') {
      depth = Math.max(0, depth - 1);
      if (depth > 0) continue;
      const selectors = css.slice(from, opened).slice(-500);
      if (opened >= from && !selectors.includes('@')) {
        yield { selectors, body: css.slice(opened + 1, at) };
      }
      from = at + 1;
    }
  }
}
