/** Marks around a phrase: opened after a space or bracket and closed before one, as Jira's renderer requires. */
const PHRASES: [pattern: RegExp, before: string, after: string][] = [
  [phrase('*'), '**', '**'],
  [phrase('_'), '_', '_'],
  [phrase('-'), '~~', '~~'],
  [phrase('+'), '', ''],
  [phrase('??'), '_', '_'],
];

/** Within words, the new editor writes `{*}` for `*`. */
const INNER_PHRASES: [pattern: RegExp, before: string, after: string][] = [
  [/\{\*\}([^\n{}]{1,1000})\{\*\}/g, '**', '**'],
  [/\{_\}([^\n{}]{1,1000})\{_\}/g, '_', '_'],
  [/\{-\}([^\n{}]{1,1000})\{-\}/g, '~~', '~~'],
  [/\{\+\}([^\n{}]{1,1000})\{\+\}/g, '', ''],
];
const INNER_MONOSPACE = /\{\{\{\}([^\n{}]{1,1000})\{\}\}\}/g;
const LINK = /\[([^\][|\n]{1,500})\|([^\][|\n]{1,2000})(?:\|[^\][\n]{0,200})?\]/g;
const BARE_LINK = /\[((?:https?|mailto|ftp|file):[^\][|\s]{1,2000})\]/g;
const MENTION = /\[~(?:accountid:)?([^\]\s[]{1,200})\]/g;
const MONOSPACE = /\{\{((?:[^\n{}]|\{(?!\{)|\}(?!\})){1,2000}?)\}\}/g;
const DECORATION = /\{(?:color(?::[^}\n]{1,40})?|anchor:[^}\n]{1,200})\}/g;
const PICTURE = /(^|[\s(|])!([^\s!|]{1,300}\.\w{2,5})(?:\|[^!\n]{0,200})?!/g;
/** Private use characters replace what must not be read as markup, until all markup has been read. */
const HOLD = '\uE000';
const RELEASE = '\uE001';
const HELD = /\uE000(\d+)\uE001/g;
/** Placeholder for a blank line that must be kept. */
export const BLANK = RELEASE;
/** Removed from a text before its lines are read. */
export const PLACEHOLDERS = /[\uE000\uE001]/g;

/** Converts one line of Jira's text formatting notation to Markdown. */
export function wikiLine(line: string): string {
  const held: string[] = [];
  const release = (text: string): string =>
    text.replace(HELD, (_, index: string) => held[Number(index)] ?? '');
  const hold = (text: string): string => `${HOLD}${held.push(release(text)) - 1}${RELEASE}`;
  let text = line
    .replace(INNER_MONOSPACE, (_, code: string) => hold(`\`${code}\``))
    .replace(MONOSPACE, (_, code: string) => hold(`\`${code}\``))
    .replace(/\\([\\{}[\]*_+\-!|#?^~])/g, (whole: string, character: string) =>
      // Two backslashes at the end of a line or before a space are a line break.
      hold(whole === '\\\\' ? '\n' : character),
    )
    .replace(MENTION, (_, name: string) => hold(`@${name}`))
    .replace(BARE_LINK, (_, address: string) => hold(address))
    .replace(
      LINK,
      (_, label: string, address: string) => hold('[') + label + hold(`](${address.trim()})`),
    )
    .replace(PICTURE, (_, before: string, file: string) => before + hold(file))
    .replace(/https?:\/\/[^\s\]|)]+/g, (address) => hold(address))
    .replace(DECORATION, '');
  for (const [pattern, before, after] of INNER_PHRASES) {
    text = text.replace(pattern, (_, words: string) => before + words + after);
  }
  for (const [pattern, before, after] of PHRASES) {
    text = text.replace(pattern, (_, lead: string, words: string) => lead + before + words + after);
  }
  return release(text);
}

function phrase(mark: string): RegExp {
  const escaped = mark.replace(/[*+?]/g, '\\$&');
  const other = `[^\\n${mark.charAt(0)}]`.replace('-]', '\\-]');
  return new RegExp(
    `(^|[\\s({"'>:,;])${escaped}((?=\\S)${other}{1,1000}(?<=\\S))${escaped}(?=$|[\\s)}"'<:.,;!?])`,
    'g',
  );
}
