import { z } from 'zod';
import { pageOf, type ConnectorPage, type PollContext } from './connector.ts';
import { SlackRefusal, type SlackApi } from './slack-api.ts';
import {
  channelRefusal,
  chooseChannels,
  enterChannel,
  type ChosenChannels,
  type SlackChannel,
} from './slack-channels.ts';
import { documentIdOf, permalink, threadDocument, type SlackPlace } from './slack-document.ts';
import {
  changedAt,
  compareTs,
  isReply,
  readThread,
  tsOf,
  walkHistory,
  type SlackMessage,
} from './slack-history.ts';
import type { SlackPeople } from './slack-people.ts';
import type { SlackSettings } from './slack-settings.ts';

export const SLACK_CHECKPOINT = z.object({
  /** Channels are walked in the order of their ids; those before this one are done. */
  channel: z.string(),
  /** In this channel everything from this time on is done; null: all of it. */
  before: z.string().nullable(),
  /** The last document of this channel so far. */
  anchor: z.string().nullable(),
});
export type SlackCheckpoint = z.infer<typeof SLACK_CHECKPOINT>;
type Page = ConnectorPage<SlackCheckpoint>;

/** What was read of a channel by runs that reached its end. */
const CHANNEL_MEMORY = z.object({
  until: z.coerce.date(),
  bots: z.boolean(),
  archived: z.boolean(),
});

export const DOCUMENTS_PER_PAGE = 50;
const DAY_MS = 86_400_000;
/** History shows a new reply only at its root: roots of this long before the last run are looked at again. */
const LOOK_BACK_MS = 30 * DAY_MS;
/** Slack's clock may be ahead of ours. */
const LOOK_AHEAD_MS = DAY_MS;

export interface SlackPoll {
  api: SlackApi;
  settings: SlackSettings;
  people: SlackPeople;
  workspaceUrl: string;
  context: PollContext;
}

/** Channel after channel, each from its newest message back to what earlier runs have read. */
export async function* pollChannels(
  poll: SlackPoll,
  checkpoint: SlackCheckpoint | null,
): AsyncGenerator<Page, void> {
  const channels = await chooseChannels(poll.api, poll.settings);
  if (checkpoint === null && channels.unknown.length > 0)
    yield unknownChannelsPage(channels.unknown);
  for (const [index, channel] of channels.chosen.entries()) {
    const isCurrent = checkpoint?.channel === channel.id;
    if (checkpoint && (channel.id < checkpoint.channel || (isCurrent && !checkpoint.before)))
      continue;
    const progress = `#${channel.name} (channel ${index + 1} of ${channels.chosen.length})`;
    const resumed = isCurrent ? checkpoint : null;
    yield* pollChannel(poll, channels, channel, progress, resumed);
  }
}

async function* pollChannel(
  poll: SlackPoll,
  channels: ChosenChannels,
  channel: SlackChannel,
  progress: string,
  resumed: SlackCheckpoint | null,
): AsyncGenerator<Page, void> {
  const since = await readUntil(poll, channel);
  if (since === 'for ever') return;
  const place = {
    ...poll,
    channel,
    channelNames: channels.names,
    includeBots: poll.settings.include_bot_messages,
  };
  const oldest = since === null ? '0' : tsOf(new Date(since.getTime() - LOOK_BACK_MS));
  const latest = resumed?.before ?? tsOf(new Date(poll.context.until.getTime() + LOOK_AHEAD_MS));
  let anchor = resumed?.anchor ?? null;
  try {
    await enterChannel(poll.api, channel);
    for await (const { messages, isLast } of walkHistory(poll.api, channel.id, {
      oldest,
      latest,
    })) {
      for (let start = 0; start === 0 || start < messages.length; start += DOCUMENTS_PER_PAGE) {
        const batch = messages.slice(start, start + DOCUMENTS_PER_PAGE);
        const due = dueRoots(batch, since, oldest);
        const content = await readRoots(poll.api, place, due);
        anchor = content.documents.at(-1)?.id ?? anchor;
        const isEnd = isLast && start + DOCUMENTS_PER_PAGE >= messages.length;
        const before = isEnd ? null : (batch.at(-1)?.ts ?? latest);
        yield pageOf<SlackCheckpoint>({
          ...content,
          memory: isEnd ? [channelMemory(poll, channel, anchor)] : [],
          checkpoint: { channel: channel.id, before, anchor },
          description: before === null ? progress : `${progress}, back to ${dayOf(before)}`,
        });
      }
    }
  } catch (error) {
    yield refusedChannelPage(error, channel, poll.settings.channels !== null);
  }
}

/**
 * Until when earlier runs have read this channel; null when it must be read from its beginning: in the first run, and
 * when the bot came into the channel only now. A channel that a run could not read goes on from the run before.
 */
async function readUntil(
  poll: SlackPoll,
  channel: SlackChannel,
): Promise<Date | null | 'for ever'> {
  const { since } = poll.context;
  if (since === null) return null;
  const key = memoryKey(channel);
  const memory = CHANNEL_MEMORY.safeParse((await poll.context.recall([key])).get(key));
  if (!memory.success || memory.data.bots !== poll.settings.include_bot_messages) return null;
  if (memory.data.archived && channel.isArchived) return 'for ever';
  return memory.data.until < since ? memory.data.until : since;
}

/** Holds while its last document does: a channel whose documents were removed is read from its beginning. */
function channelMemory(poll: SlackPoll, channel: SlackChannel, anchor: string | null) {
  return {
    key: memoryKey(channel),
    documentId: anchor,
    value: {
      until: poll.context.until.toISOString(),
      bots: poll.settings.include_bot_messages,
      archived: channel.isArchived,
    },
  };
}

function memoryKey({ id }: SlackChannel): string {
  return `channel:${id}`;
}

/** Times of the roots to read, and the root itself where it is at hand. */
function dueRoots(
  messages: readonly SlackMessage[],
  since: Date | null,
  oldest: string,
): Map<string, SlackMessage | null> {
  const due = new Map<string, SlackMessage | null>();
  for (const message of messages) {
    if (since !== null && changedAt(message) < since) continue;
    if (!isReply(message)) due.set(message.ts, message);
    // A reply that was also sent to the channel: its root comes by itself, unless it is older than the walk.
    else if (message.thread_ts && compareTs(message.thread_ts, oldest) <= 0) {
      due.set(message.thread_ts, null);
    }
  }
  return due;
}

type Content = Pick<Page, 'documents' | 'skipped' | 'failures' | 'removed'>;

/** Reads threads; one that Slack does not show is a failure of its own. */
export async function readRoots(
  api: SlackApi,
  place: SlackPlace,
  roots: ReadonlyMap<string, SlackMessage | null>,
): Promise<Content> {
  const content: Content = { documents: [], skipped: [], failures: [], removed: [] };
  for (const [rootTs, root] of roots) {
    const documentId = documentIdOf(place.channel.id, rootTs);
    try {
      const isAlone = root !== null && (root.reply_count ?? 0) === 0;
      const thread = isAlone ? [root] : await readThread(api, place.channel.id, rootTs);
      const read = thread.length > 0 ? await threadDocument(rootTs, thread, place) : null;
      if (read === null) content.removed.push(documentId);
      else if ('skipped' in read) content.skipped.push({ documentId, reason: read.skipped });
      else content.documents.push(read);
    } catch (error) {
      if (!(error instanceof SlackRefusal) || channelRefusal(error, place.channel)) throw error;
      if (error.code === 'missing_scope') throw error;
      if (error.code === 'thread_not_found') content.removed.push(documentId);
      else {
        const link = permalink(place, rootTs, rootTs);
        content.failures.push({ documentId, link, entityId: null, reason: error.message });
      }
    }
  }
  return content;
}

function unknownChannelsPage(unknown: readonly string[]): Page {
  return pageOf<SlackCheckpoint>({
    failures: unknown.map((name) => ({
      documentId: null,
      link: null,
      entityId: name,
      reason: unknownChannelReason(name),
    })),
    checkpoint: { channel: '', before: null, anchor: null },
    description: 'the channels of the settings',
  });
}

export function unknownChannelReason(name: string): string {
  return `Slack shows the bot no channel "${name}": correct the name, or invite the bot if it is private.`;
}

/** A channel that cannot be read does not end the run; any other error does. */
function refusedChannelPage(error: unknown, channel: SlackChannel, isNamed: boolean): Page {
  const refusal = channelRefusal(error, channel);
  if (!refusal) throw error;
  const page = {
    checkpoint: { channel: channel.id, before: null, anchor: null },
    description: `#${channel.name} cannot be read`,
  };
  if (refusal.outside && !isNamed) {
    return pageOf({
      ...page,
      skipped: [{ documentId: null, reason: 'a channel that the bot cannot join' }],
    });
  }
  const failure = { documentId: null, link: null, entityId: channel.id, reason: refusal.reason };
  return pageOf({ ...page, failures: [failure] });
}

function dayOf(ts: string): string {
  return new Date(Number(ts) * 1_000).toISOString().slice(0, 10);
}
