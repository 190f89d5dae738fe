import { z } from 'zod';
import type { SlackAttachment, SlackMessage } from './slack-history.ts';

/** The content of a message, still in Slack's markup: its text, then its attachments. Empty when it has none. */
export function messageMarkup(message: SlackMessage): string {
  return [
    bodyMarkup(message),
    ...(message.attachments ?? []).map(attachmentMarkup),
    ...(message.files ?? []).map(fileMarkup),
  ]
    .filter((part) => part !== '')
    .join('\n');
}

/**
 * User messages have the same content in `text` and in rich text blocks. Apps write in other blocks; their `text` is
 * then a short form for notifications, or empty.
 */
function bodyMarkup({ text, blocks }: SlackMessage): string {
  const own = text?.trim() ?? '';
  const isAll = own !== '' && (blocks ?? []).every((block) => typeOf(block) === 'rich_text');
  if (isAll) return own;
  const said = blocksMarkup(blocks ?? []).trim();
  if (said.includes(own)) return said;
  return own.includes(said) ? own : `${own}\n${said}`;
}

function typeOf(block: unknown): unknown {
  return typeof block === 'object' && block !== null && 'type' in block ? block.type : null;
}

/** https://docs.slack.dev/legacy/legacy-messaging/legacy-secondary-message-attachments/ */
function attachmentMarkup(attachment: SlackAttachment): string {
  const title = attachment.title?.trim() ?? '';
  const fields = (attachment.fields ?? []).map(({ title: name, value }) =>
    [name, value].filter(Boolean).join(': '),
  );
  const parts = [
    attachment.pretext,
    attachment.title_link && title ? `<${attachment.title_link}|${title}>` : title,
    attachment.text,
    ...fields,
    blocksMarkup(attachment.blocks ?? []),
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
  /** Only in tables. */
  rows: z.array(z.array(z.unknown())).nullish(),
});

/** Apps may leave `text` empty and write in blocks. https://docs.slack.dev/reference/block-kit/blocks/ */
function blocksMarkup(blocks: readonly unknown[]): string {
  const lines: string[] = [];
  for (const block of blocks) {
    const parsed = BLOCK.safeParse(block);
    if (!parsed.success) continue;
    const { text, fields, elements, rows } = parsed.data;
    const own = typeof text === 'string' ? text : text?.text;
    const said = elements?.map((element) => elementMarkup(element, 0)).join('') ?? '';
    const cells = (rows ?? []).map((row) =>
      row.map((cell) => elementMarkup(cell, 0).trim()).join(' | '),
    );
    const written = (fields ?? []).map((field) => field.text);
    lines.push(...[own ?? '', ...written, said, ...cells].filter(Boolean));
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
/** A list inside a list inside a rich text block has depth 3. */
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
