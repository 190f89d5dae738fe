import { BLANK, PLACEHOLDERS, wikiLine } from './wiki-markup-inline.ts';

/** `{code:java|title=x}` and similar tags, alone or followed by text. */
const OPENING = /^\s*\{(code|noformat|quote|panel|info|note|warning|tip|expand)(?::([^}\n]*))?\}/;
const LIST_ITEM = /^\s*([*#-]{1,10})\s+(\S.*)$/;
const HEADING = /^\s*h([1-6])\.\s*(.*)$/;

interface Reader {
  lines: string[];
  at: number;
  /** Macros without an end tag in the rest; they are read as text. */
  unclosed: Set<string>;
}

/**
 * Turns Jira's text formatting notation, in which Jira Data Center stores descriptions and comments, into Markdown.
 * Text without markup stays unchanged.
 * https://jira.atlassian.com/secure/WikiRendererHelpAction.jspa?section=all
 */
export function wikiMarkupToMarkdown(markup: string): string {
  const reader: Reader = {
    lines: markup.replace(PLACEHOLDERS, '').replace(/\r\n?/g, '\n').split('\n'),
    at: 0,
    unclosed: new Set(),
  };
  const out: string[] = [];
  while (reader.at < reader.lines.length) out.push(...readBlock(reader));
  return out
    .join('\n')
    .replace(/\n{3,}/g, '\n\n')
    .replace(PLACEHOLDERS, '')
    .trim();
}

/** The next line or block, as Markdown lines. */
function readBlock(reader: Reader): string[] {
  const line = reader.lines[reader.at] ?? '';
  const opening = OPENING.exec(line);
  if (opening && isClosed(reader, opening[1] ?? '', opening[0].length)) {
    return readMacro(reader, opening);
  }
  if (isTableRow(line)) return readTable(reader);
  reader.at += 1;
  if (line.trim() === '----') return ['', '---', ''];
  const heading = HEADING.exec(line);
  if (heading) return ['', `${'#'.repeat(Number(heading[1]))} ${wikiLine(heading[2] ?? '')}`, ''];
  if (line.trimStart().startsWith('bq. ')) {
    return ['', `> ${wikiLine(line.trimStart().slice(4))}`, ''];
  }
  const item = LIST_ITEM.exec(line);
  if (item) return [listItem(item[1] ?? '', item[2] ?? '')];
  // Code may begin after some text.
  const inner = line.search(/\{(?:code|noformat)(?::[^}\n]*)?\}/);
  if (inner > 0) {
    const name = line.startsWith('{code', inner) ? 'code' : 'noformat';
    reader.at -= 1;
    if (isClosed(reader, name, line.indexOf('}', inner) + 1)) {
      reader.lines[reader.at] = line.slice(inner);
      return [wikiLine(line.slice(0, inner)).trimEnd()];
    }
    reader.at += 1;
  }
  return [wikiLine(line)];
}

/** Whether a macro that opens in the current line, before `start`, ends there or later. */
function isClosed(reader: Reader, name: string, start: number): boolean {
  if (reader.unclosed.has(name)) return false;
  const closing = `{${name}}`;
  if ((reader.lines[reader.at] ?? '').includes(closing, start)) return true;
  for (let at = reader.at + 1; at < reader.lines.length; at += 1) {
    if (reader.lines[at]?.includes(closing)) return true;
  }
  reader.unclosed.add(name);
  return false;
}

function listItem(markers: string, text: string): string {
  const isNumbered = markers.endsWith('#');
  return `${'  '.repeat(markers.length - 1)}${isNumbered ? '1.' : '-'} ${wikiLine(text)}`;
}

function readMacro(reader: Reader, opening: RegExpExecArray): string[] {
  const [whole, name = '', parameters = ''] = opening;
  const closing = `{${name}}`;
  const body: string[] = [];
  const firstLine = (reader.lines[reader.at] ?? '').slice(whole.length);
  reader.at += 1;
  let line: string | undefined = firstLine;
  let rest = '';
  while (line !== undefined) {
    const end = line.indexOf(closing);
    if (end >= 0) {
      body.push(line.slice(0, end));
      rest = line.slice(end + closing.length);
      break;
    }
    body.push(line);
    line = reader.lines[reader.at];
    reader.at += 1;
  }
  // Text after the end tag is treated as a separate line.
  if (rest.trim() !== '') {
    reader.at -= 1;
    reader.lines[reader.at] = rest;
  }
  return ['', ...macroLines(name, parameters, trimBlankLines(body)), ''];
}

function macroLines(name: string, parameters: string, body: string[]): string[] {
  const title = /(?:^|\|)title=([^|]*)/.exec(parameters)?.[1]?.trim() ?? '';
  const caption = title === '' ? [] : [`**${title}**`, ''];
  if (name === 'code' || name === 'noformat') {
    const language =
      name === 'code' ? (/^[\w+#-]+$/.exec(parameters.split('|')[0] ?? '')?.[0] ?? '') : '';
    const fence = body.some((line) => line.includes('```')) ? '````' : '```';
    // Blank lines in code are kept, those between blocks are not.
    const code = body.map((line) => line || BLANK);
    return [...caption, fence + language, ...code, fence];
  }
  const text = wikiMarkupToMarkdown(body.join('\n'));
  if (name === 'expand') return [...caption, text];
  return [...caption, ...text.split('\n')].map((line) => (line === '' ? '>' : `> ${line}`));
}

function trimBlankLines(lines: string[]): string[] {
  const isText = (line: string): boolean => line.trim() !== '';
  const first = lines.findIndex(isText);
  return first < 0 ? [] : lines.slice(first, lines.findLastIndex(isText) + 1);
}

function isTableRow(line: string): boolean {
  return /^\s*\|.*\|\s*$/.test(line) && line.trim().length > 2;
}

function readTable(reader: Reader): string[] {
  const rows: string[][] = [];
  while (isTableRow(reader.lines[reader.at] ?? '')) {
    rows.push(tableCells(reader.lines[reader.at] ?? ''));
    reader.at += 1;
  }
  const [head = [], ...body] = rows;
  const line = (cells: string[]): string => `| ${cells.join(' | ')} |`;
  return ['', line(head), line(head.map(() => '---')), ...body.map(line), ''];
}

/** Cells of `|head|head|` or `|cell|cell|`; a bar inside a link is not a separator. */
function tableCells(line: string): string[] {
  const inner = line
    .trim()
    .replace(/^\|{1,2}/, '')
    .replace(/\|{1,2}$/, '');
  const cells: string[] = [];
  let cell = '';
  let brackets = 0;
  for (let index = 0; index < inner.length; index += 1) {
    const character = inner.charAt(index);
    if (character === '[') brackets += 1;
    if (character === ']') brackets = Math.max(0, brackets - 1);
    if (character === '|' && brackets === 0) {
      cells.push(cell);
      cell = '';
      if (inner.charAt(index + 1) === '|') index += 1;
    } else {
      cell += character;
    }
  }
  return [...cells, cell].map((text) =>
    text.trim() === '' ? '' : wikiLine(text.trim()).replaceAll('|', '\\|'),
  );
}
