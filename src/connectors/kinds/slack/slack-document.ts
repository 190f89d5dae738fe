import type { DocumentMetadata, StoredOwner } from '#src/tables/documents.ts';
import type { ConnectorDocument } from '#src/connectors/source/connector.ts';
import type { SlackChannel } from './slack-channels.ts';
import { changedAt, isReply, type SlackMessage } from './slack-history.ts';
import type { ReadFiles } from './slack-files.ts';
import { messageMarkup } from './slack-message-text.ts';
import { mentionedUsers, renderMrkdwn, type SlackNames } from './slack-mrkdwn.ts';
import type { SlackPeople, SlackPerson } from './slack-people.ts';

/** The context of a thread in its workspace. */
export interface SlackPlace {
  /** `https://team.slack.com/` */
  workspaceUrl: string;
  channel: SlackChannel;
  channelNames: ReadonlyMap<string, string>;
  people: SlackPeople;
  includeBots: boolean;
  /** The texts of the messages' files. */
  readFiles: (messages: readonly SlackMessage[]) => Promise<ReadFiles>;
}

/**
 * Notices that Slack itself posts in a channel; see the subtypes in https://docs.slack.dev/reference/events/message/
 */
const NOTICE = new RegExp(
  '^(?:(?:channel|group)_.*|(?:un)?pinned_item|bot_(?:add|remove|enable|disable)|reminder_add|' +
    'joiner_notification.*|sh_room_.*|huddle_thread|tombstone|ekm_access_denied|assistant_app_thread)$',
);
/** Short messages share a section, because a section is always indexed separately from the next. */
const SECTION_CHARACTERS = 1_200;
const TITLE_CHARACTERS = 80;
const MAX_PARTICIPANTS = 50;

/** Stable: renaming the channel or the workspace does not change it. */
export function documentIdOf(channel: string, rootTs: string): string {
  return `${channel}__${rootTs}`;
}

/** Null for an id that is not one of ours. */
export function parseDocumentId(id: string): { channel: string; rootTs: string } | null {
  const match = /^([A-Z0-9]+)__(\d+\.\d+)$/.exec(id);
  return match?.[1] && match[2] ? { channel: match[1], rootTs: match[2] } : null;
}

/** Why a message is left out; null when it is indexed. */
function skipReason(message: SlackMessage, includeBots: boolean): string | null {
  if (message.subtype === 'ekm_access_denied')
    return 'withheld by the key management of its workspace';
  if (NOTICE.test(message.subtype ?? '')) return 'a notice from Slack, not a message';
  const isBot = message.subtype === 'bot_message' || Boolean(message.bot_id);
  if (isBot && !includeBots) return 'written by a bot';
  return messageMarkup(message) === '' ? 'a message without text' : null;
}

/** As far as the root alone shows; a thread under a notice or a bot's message may hold messages by people. */
export function mayBeDocument(root: SlackMessage, includeBots: boolean): boolean {
  return !isReply(root) && ((root.reply_count ?? 0) > 0 || skipReason(root, includeBots) === null);
}

/** A thread as one document; a reason instead when none of its messages is indexed. */
export async function threadDocument(
  rootTs: string,
  thread: readonly SlackMessage[],
  place: SlackPlace,
): Promise<ConnectorDocument | { skipped: string }> {
  const reasons = thread.map((message) => skipReason(message, place.includeBots));
  const messages = thread.filter((_, index) => reasons[index] === null);
  const [first] = messages;
  if (!first) return { skipped: reasons[0] ?? 'a message without text' };

  const markups = messages.map(messageMarkup);
  const authors = messages.flatMap(({ user }) => user ?? []);
  const people = await place.people.find([...authors, ...markups.flatMap(mentionedUsers)]);
  const names: SlackNames = {
    user: (id) => people.get(id)?.name ?? null,
    channel: (id) => place.channelNames.get(id) ?? null,
  };
  const lines = messages.map((message, index) => ({
    author: authorName(message, people),
    text: renderMrkdwn(markups[index] ?? '', names).trim(),
    link: permalink(place, message.ts, rootTs),
  }));
  const files = await place.readFiles(messages);
  return {
    id: documentIdOf(place.channel.id, rootTs),
    semanticIdentifier: headline(lines[0]?.author ?? '', place.channel.name, lines[0]?.text ?? ''),
    title: null,
    sections: [
      ...packSections(lines),
      ...files.texts.map(({ ts, text }) => ({ text, link: permalink(place, ts, rootTs) })),
    ],
    metadata: {
      ...metadataOf(
        place.channel,
        lines.map(({ author }) => author),
      ),
      ...(files.unread.length > 0 && { unread_files: files.unread }),
    },
    updatedAt: new Date(Math.max(...messages.map((message) => changedAt(message).getTime()))),
    ...ownersOf(first, authors, people),
    source: null,
  };
}

/**
 * https://docs.slack.dev/reference/methods/chat.getPermalink/ shows the format; building the link saves a call per
 * message.
 */
export function permalink(
  { workspaceUrl, channel }: { workspaceUrl: string; channel: Pick<SlackChannel, 'id'> },
  ts: string,
  rootTs: string,
): string {
  const url = new URL(`archives/${channel.id}/p${ts.replace('.', '')}`, workspaceUrl);
  if (ts !== rootTs) {
    url.searchParams.set('thread_ts', rootTs);
    url.searchParams.set('cid', channel.id);
  }
  return url.href;
}

function authorName(message: SlackMessage, people: ReadonlyMap<string, SlackPerson>): string {
  const person = message.user ? people.get(message.user)?.name : null;
  return message.username || person || message.bot_profile?.name || 'a bot';
}

function headline(author: string, channel: string, text: string): string {
  const words = text.replace(/\s+/g, ' ');
  if (words.length <= TITLE_CHARACTERS) return `${author} in #${channel}: ${words}`;
  const cut = Array.from(words).slice(0, TITLE_CHARACTERS).join('');
  return `${author} in #${channel}: ${cut.replace(/\s+\S*$/, '')}…`;
}

function packSections(
  lines: readonly { author: string; text: string; link: string }[],
): ConnectorDocument['sections'] {
  const sections: { text: string; link: string }[] = [];
  for (const { author, text, link } of lines) {
    const line = `${author}: ${text}`;
    const last = sections.at(-1);
    if (last && last.text.length + line.length <= SECTION_CHARACTERS) last.text += `\n\n${line}`;
    else sections.push({ text: line, link });
  }
  return sections;
}

function metadataOf(channel: SlackChannel, authors: readonly string[]): DocumentMetadata {
  const [author = ''] = authors;
  const participants = [...new Set(authors)].slice(0, MAX_PARTICIPANTS);
  return { channel: channel.name, author, ...(participants.length > 1 && { participants }) };
}

function ownersOf(
  first: SlackMessage,
  authors: readonly string[],
  people: ReadonlyMap<string, SlackPerson>,
): Pick<ConnectorDocument, 'primaryOwners' | 'secondaryOwners'> {
  const owner = (id: string): StoredOwner[] => {
    const person = people.get(id);
    if (!person) return [];
    return [{ display_name: person.name, ...(person.email !== null && { email: person.email }) }];
  };
  const others = [...new Set(authors)].filter((id) => id !== first.user).slice(0, MAX_PARTICIPANTS);
  return { primaryOwners: owner(first.user ?? ''), secondaryOwners: others.flatMap(owner) };
}
