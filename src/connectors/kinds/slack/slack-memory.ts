import { z } from 'zod';
import type { MemoryEntry, PollContext } from '#src/connectors/source/connector.ts';
import type { SlackChannel } from './slack-channels.ts';
import type { SlackSettings } from './slack-settings.ts';

/** What completed runs have read of a channel. */
const CHANNEL_MEMORY = z.object({
  until: z.coerce.date(),
  bots: z.boolean(),
  archived: z.boolean(),
  /** One of its documents; null while it has none. */
  anchor: z.string().nullable(),
});
export type ChannelMemory = z.infer<typeof CHANNEL_MEMORY>;

/** Slack's clock may be behind ours. */
export const OVERLAP_MS = 30 * 60_000;

/** Null when the channel must be read from its beginning, for example because the bot has only just joined. */
export async function recallChannel(
  channel: SlackChannel,
  settings: SlackSettings,
  context: PollContext,
): Promise<ChannelMemory | null> {
  const key = memoryKey(channel);
  const memory = CHANNEL_MEMORY.safeParse((await context.recall([key])).get(key)).data;
  return memory?.bots === settings.include_bot_messages ? memory : null;
}

/**
 * Where to start reading the channel: where earlier runs ended in it, which is before the last run if that one failed
 * to read it. A run from the very beginning has cleared that; one without `since` reaches back because of another
 * channel.
 */
export function readFrom({ until }: ChannelMemory, { since }: PollContext): Date {
  const overlapped = new Date(until.getTime() - OVERLAP_MS);
  return since !== null && since < overlapped ? since : overlapped;
}

/** Valid as long as its anchor exists: a channel whose documents were removed is read from its beginning. */
export function channelMemory(
  channel: SlackChannel,
  settings: SlackSettings,
  { until }: PollContext,
  anchor: string | null,
): MemoryEntry {
  return {
    key: memoryKey(channel),
    documentId: anchor,
    value: {
      until: until.toISOString(),
      bots: settings.include_bot_messages,
      archived: channel.isArchived,
      anchor,
    },
  };
}

function memoryKey({ id }: SlackChannel): string {
  return `channel:${id}`;
}
