/** The names for ids in a message; null: unknown. */
export interface SlackNames {
  user(id: string): string | null;
  channel(id: string): string | null;
}

/**
 * `<@U1>`, `<#C1|general>`, `<!here>`, `<https://example.com|label>`; never nested, since any other `<` is escaped.
 */
const TOKEN = /<([^<>\n]+)>/g;
const ESCAPES: Record<string, string> = { '&amp;': '&', '&lt;': '<', '&gt;': '>' };

/**
 * Slack's message markup as readers see it; asterisks and backticks stay.
 * https://docs.slack.dev/messaging/formatting-message-text/
 */
export function renderMrkdwn(text: string, names: SlackNames): string {
  // Tokens are replaced before anything is unescaped: the text "&lt;@U1&gt;" is not a mention.
  let rendered = '';
  let end = 0;
  for (const match of text.matchAll(TOKEN)) {
    rendered +=
      unescape(text.slice(end, match.index)) + unescape(renderToken(match[1] ?? '', names));
    end = match.index + match[0].length;
  }
  return rendered + unescape(text.slice(end));
}

/** Ids of the users whose names `renderMrkdwn` will need. */
export function mentionedUsers(text: string): string[] {
  return Array.from(text.matchAll(/<@([UW][A-Z0-9]+)>/g), (match) => match[1] ?? '');
}

function renderToken(token: string, names: SlackNames): string {
  const bar = token.indexOf('|');
  const target = bar === -1 ? token : token.slice(0, bar);
  const label = bar === -1 ? '' : token.slice(bar + 1);
  switch (target.charAt(0)) {
    case '@':
      return `@${label || names.user(target.slice(1)) || target.slice(1)}`;
    case '#':
      return `#${label || names.channel(target.slice(1)) || target.slice(1)}`;
    case '!':
      return renderCommand(target.slice(1), label);
    default:
      return renderLink(target, label);
  }
}

/** `!here`, `!subteam^S1|@team`, `!date^1700000000^{date}|Nov 14`. */
function renderCommand(command: string, label: string): string {
  const [verb = '', id = ''] = command.split('^');
  if (label !== '') return verb === 'subteam' && !label.startsWith('@') ? `@${label}` : label;
  return verb === 'subteam' ? `@${id}` : `@${verb}`;
}

function renderLink(target: string, label: string): string {
  const address = target.replace(/^(mailto|tel):/, '');
  if (label === '' || label === address || label === target) return address;
  return target === address && !address.endsWith(`//${label}`) ? `${label} (${address})` : label;
}

function unescape(text: string): string {
  return text.replace(/&(?:amp|lt|gt);/g, (escape) => ESCAPES[escape] ?? escape);
}
