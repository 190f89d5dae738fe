import { z } from 'zod';
import {
  type ConnectorPage,
  type MemoryEntry,
  pageOf,
  type PollContext,
} from '#src/connectors/source/connector.ts';
import { findFirstSince } from '#src/connectors/source/first-since.ts';
import { startPageTime } from '#src/connectors/source/page-time.ts';
import type { SlackApi } from './slack-api.ts';
import {
  channelRefusal,
  chooseChannels,
  enterChannel,
  type ChosenChannels,
  type SlackChannel,
} from './slack-channels.ts';
import type { SlackPlace } from './slack-document.ts';
import { readSlackFiles } from './slack-files.ts';
import { tsOf, walkHistory, type SlackMessage } from './slack-history.ts';
import { channelMemory, OVERLAP_MS, readFrom, recallChannel } from './slack-memory.ts';
import type { SlackPeople } from './slack-people.ts';
import type { SlackSettings } from './slack-settings.ts';
import { dueRoots, readThreads, type ThreadWindow } from './slack-threads.ts';

export const SLACK_CHECKPOINT = z.object({
  /** Channels are walked in order of their ids; those before this one are done. */
  channel: z.string(),
  /** In this channel, everything from this time on is done; null: all of it. */
  before: z.string().nullable(),
  /** The last document found in this channel. */
  anchor: z.string().nullable(),
});
export type SlackCheckpoint = z.infer<typeof SLACK_CHECKPOINT>;
type Page = ConnectorPage<SlackCheckpoint>;

export const DOCUMENTS_PER_PAGE = 50;
const DAY_MS = 86_400_000;
/** History shows a new reply only at its root, so roots up to this long before the last run are examined again. */
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

/** Channel by channel, each from its newest message back to what earlier runs have read. */
export async function* pollChannels(
  poll: SlackPoll,
  checkpoint: SlackCheckpoint | null,
): AsyncGenerator<Page, void> {
  const channels = await chooseChannels(poll.api, poll.settings);
  const first = await findFirstSince(poll.context);
  if (checkpoint === null) yield channelsPage(channels, first.memory);
  for (const [index, channel] of channels.chosen.entries()) {
    const isCurrent = checkpoint?.channel === channel.id;
    if (checkpoint && (channel.id < checkpoint.channel || (isCurrent && !checkpoint.before)))
      continue;
    const known = await recallChannel(channel, poll.settings, poll.context);
    if (known?.archived && channel.isArchived) continue;
    const since = known === null ? first.since : readFrom(known, poll.context);
    yield* pollChannel(poll, channel, channels.names, {
      progress: `#${channel.name} (channel ${index + 1} of ${channels.chosen.length})`,
      since,
      again: known && since && turnsSince(since, first.since, poll.context),
      before: isCurrent ? checkpoint.before : null,
      anchor: isCurrent ? checkpoint.anchor : (known?.anchor ?? null),
    });
  }
}

/** Earlier runs took the turns up to their own end, which is later than `since`. */
function turnsSince(since: Date, changedSince: Date | null, { until }: PollContext) {
  return { from: new Date(since.getTime() + OVERLAP_MS), until, changedSince };
}

interface ChannelWalk extends Pick<ThreadWindow, 'since' | 'again'> {
  progress: string;
  before: string | null;
  anchor: string | null;
}

async function* pollChannel(
  poll: SlackPoll,
  channel: SlackChannel,
  channelNames: ReadonlyMap<string, string>,
  { progress, since, again, before, anchor: anchorBefore }: ChannelWalk,
): AsyncGenerator<Page, void> {
  const { api, settings, context } = poll;
  const place = {
    ...poll,
    channel,
    channelNames,
    includeBots: settings.include_bot_messages,
    readFiles: (messages: readonly SlackMessage[]) =>
      readSlackFiles(api, (file) => context.parse(file), messages),
  };
  const oldest = since === null ? '0' : tsOf(new Date(since.getTime() - LOOK_BACK_MS));
  const latest = before ?? tsOf(new Date(context.until.getTime() + LOOK_AHEAD_MS));
  let anchor = anchorBefore;
  try {
    await enterChannel(api, channel);
    for await (const portion of walkHistory(api, channel.id, { oldest, latest })) {
      let left = portion.messages;
      do {
        const { count, ...content } = await readSome(poll, place, left, { since, oldest, again });
        anchor = content.documents.at(-1)?.id ?? anchor;
        const done = left.slice(0, count).at(-1)?.ts ?? latest;
        left = left.slice(count);
        const isEnd = portion.isLast && left.length === 0;
        yield pageOf<SlackCheckpoint>({
          ...content,
          memory: isEnd ? [channelMemory(channel, settings, context, anchor)] : [],
          checkpoint: { channel: channel.id, before: isEnd ? null : done, anchor },
          description: isEnd ? progress : `${progress}, back to ${dayOf(done)}`,
        });
      } while (left.length > 0);
    }
  } catch (error) {
    yield refusedChannelPage(error, channel, settings.channels !== null);
  }
}

/** Enough messages for a page, or fewer when Slack returns them slowly. */
async function readSome(
  { api, context: { clock } }: SlackPoll,
  place: SlackPlace,
  messages: readonly SlackMessage[],
  window: ThreadWindow,
) {
  const batch = messages.slice(0, DOCUMENTS_PER_PAGE);
  const due = dueRoots(batch, window);
  const { stoppedAt, ...content } = await readThreads(api, place, due, {
    time: startPageTime(clock),
    clock,
  });
  const stopped = batch.findIndex(({ ts }) => ts === stoppedAt);
  return { ...content, count: stopped === -1 ? batch.length : stopped + 1 };
}

/** The first page of a run. */
function channelsPage({ chosen, unknown }: ChosenChannels, memory: MemoryEntry): Page {
  return pageOf<SlackCheckpoint>({
    failures: unknown.map((name) => ({
      documentId: null,
      link: null,
      entityId: name,
      reason: unknownChannelReason(name),
    })),
    memory: [memory],
    checkpoint: { channel: '', before: null, anchor: null },
    description: `${chosen.length} channels`,
  });
}

export function unknownChannelReason(name: string): string {
  return `The bot can see no channel "${name}": correct the name, or invite the bot if it is private.`;
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
