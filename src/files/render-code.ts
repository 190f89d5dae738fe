import { childrenOf, type HtmlElement, type HtmlNode, isElement } from './html-tree.ts';

const LANGUAGE = /(?:^|\s)(?:language|lang|highlight-source|highlight|brush:?)[-\s]([\w+#.-]+)/i;
/** Class names that look like a language but are not one. */
const NO_LANGUAGE =
  /^(?:default|none|plain|plaintext|text|nohighlight|copyable|wrapper|container)$/i;
/** Elements that highlighters wrap around each line. */
const LINE = /(?:^|\s)(?:token-line|code-line|view-line|cm-line|CodeMirror-line)(?:\s|$)/;
const LINE_BOXES = new Set(['div', 'p', 'li', 'tr']);

/** A fenced block. Its fence is longer than any in the code itself. */
export function renderCode(pre: HtmlElement, isLeftOut: (element: HtmlElement) => boolean): string {
  const code = codeText(pre, isLeftOut)
    .replace(/\r\n?/g, '\n')
    .replace(/[\u200B\uFEFF]/g, '')
    .replace(/^(?:[ \t]*\n)+/, '')
    .trimEnd();
  if (code === '') return '';
  let longest = 2;
  for (const line of code.split('\n')) {
    longest = Math.max(longest, /^\s*(`{3,})/.exec(line)?.[1]?.length ?? 0);
  }
  const fence = '`'.repeat(longest + 1);
  return `${fence}${languageOf(pre)}\n${code}\n${fence}`;
}

export function codeSpan(text: string): string {
  const code = text.replace(/\s+/g, ' ').trim();
  if (code === '') return text === '' ? '' : ' ';
  return code.includes('`') ? `\`\` ${code} \`\`` : `\`${code}\``;
}

function codeText(pre: HtmlElement, isLeftOut: (element: HtmlElement) => boolean): string {
  // A list of pieces, because checking the end of a string under construction would copy it.
  const pieces: string[] = [];
  const endLine = (): void => {
    if (pieces.at(-1)?.endsWith('\n') === false) pieces.push('\n');
  };
  const open: (HtmlNode | typeof endLine)[] = childrenOf(pre).toReversed();
  for (let next = open.pop(); next !== undefined; next = open.pop()) {
    if (typeof next === 'function') next();
    else if (next.type === 'text') {
      if (next.data !== '') pieces.push(next.data);
    } else if (!isElement(next) || isLeftOut(next)) continue;
    else if (next.name === 'br') pieces.push('\n');
    else {
      if (LINE_BOXES.has(next.name) || LINE.test(next.attribs['class'] ?? '')) {
        open.push(endLine);
        endLine();
      }
      for (const child of next.children.toReversed()) open.push(child);
    }
  }
  return pieces.join('');
}

/** The language given by the block, by an element in it, or by one of the elements around it. */
function languageOf(pre: HtmlElement): string {
  const inside = pre.children.filter((child) => isElement(child));
  const around: HtmlElement[] = [];
  for (let box = pre.parent; box && around.length < 2; box = box.parent) {
    if (isElement(box)) around.push(box);
  }
  for (const { attribs } of [pre, ...inside, ...around]) {
    const named = attribs['data-lang'] ?? attribs['data-language'];
    const language = named ?? LANGUAGE.exec(attribs['class'] ?? '')?.[1] ?? '';
    if (/^[\w+#.-]+$/.test(language) && !NO_LANGUAGE.test(language)) return language.toLowerCase();
  }
  return '';
}
