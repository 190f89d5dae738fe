import { z } from 'zod';
import type { SlackMessage } from './slack-history.ts';

type Attachment = NonNullable<SlackMessage['attachments']>[number];

/** What a message says, still in Slack's markup: its text, then what hangs on it. Empty when it says nothing. */
export function messageMarkup(message: SlackMessage): string {
  return [
    message.text?.trim() || blocksMarkup(message.blocks ?? []),
    ...(message.attachments ?? []).map(attachmentMarkup),
    ...(message.files ?? []).map(fileMarkup),
  ]
    .filter((part) => part !== '')
    .join('\n');
}

/** https://docs.slack.dev/legacy/legacy-messaging/legacy-secondary-message-attachments/ */
function attachmentMarkup(attachment: Attachment): string {
  const title = attachment.title?.trim() ?? '';
  const fields = (attachment.fields ?? []).map(({ title: name, value }) =>
    [name, value].filter(Boolean).join(': '),
  );
  const parts = [
    attachment.pretext,
    attachment.title_link && title ? `<${attachment.title_link}|${title}>` : title,
    attachment.text,
    ...fields,
  ].filter(Boolean);
  return parts.length > 0 ? parts.join('\n') : (attachment.fallback?.trim() ?? '');
}

function fileMarkup({
  name,
  title,
}: {
  name?: string | null | undefined;
  title?: string | null | undefined;
}): string {
  const shown = title && name && title !== name ? `${title} (${name})` : title || name;
  return shown ? `File: ${shown}` : '';
}

const TEXT_OBJECT = z.object({ text: z.string() });
const BLOCK = z.object({
  text: z.union([z.string(), TEXT_OBJECT]).nullish(),
  fields: z.array(TEXT_OBJECT).nullish(),
  elements: z.array(z.unknown()).nullish(),
});

/** Apps may leave `text` empty and write in blocks. https://docs.slack.dev/reference/block-kit/blocks/ */
function blocksMarkup(blocks: readonly unknown[]): string {
  const lines: string[] = [];
  for (const block of blocks) {
    const parsed = BLOCK.safeParse(block);
    if (!parsed.success) continue;
    const { text, fields, elements } = parsed.data;
    const own = typeof text === 'string' ? text : text?.text;
    const said = elements?.map((element) => elementMarkup(element, 0)).join('') ?? '';
    lines.push(...[own ?? '', ...(fields ?? []).map((field) => field.text), said].filter(Boolean));
  }
  return lines.join('\n');
}

const ELEMENT = z.object({
  type: z.string().nullish(),
  text: z.string().nullish(),
  url: z.string().nullish(),
  user_id: z.string().nullish(),
  channel_id: z.string().nullish(),
  elements: z.array(z.unknown()).nullish(),
});
/** A list within a list within a rich text block is 3. */
const MAX_ELEMENT_DEPTH = 10;

function elementMarkup(element: unknown, depth: number): string {
  const parsed = ELEMENT.safeParse(element);
  if (!parsed.success || depth > MAX_ELEMENT_DEPTH) return '';
  const { type, text, url, user_id: user, channel_id: channel, elements } = parsed.data;
  if (user) return `<@${user}>`;
  if (channel) return `<#${channel}>`;
  if (url) return text ? `<${url}|${text}>` : `<${url}>`;
  const inner = elements?.map((one) => elementMarkup(one, depth + 1)).join('') ?? '';
  return (text ?? '') + inner + (type?.startsWith('rich_text_') ? '\n' : '');
}
