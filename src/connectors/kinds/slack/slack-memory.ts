import { z } from 'zod';
import type { MemoryEntry, PollContext } from '#src/connectors/source/connector.ts';
import type { SlackChannel } from './slack-channels.ts';
import type { SlackSettings } from './slack-settings.ts';

/** What was read of a channel by runs that reached its end. */
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

/** Null when the channel must be read from its beginning, as when the bot came into it only now. */
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
 * From when on the channel is read: where earlier runs ended in it, which is before the last run when that failed to
 * read it. A run from the very beginning has forgotten that; one without `since` reaches back for another channel.
 */
export function readFrom({ until }: ChannelMemory, { since }: PollContext): Date {
  const overlapped = new Date(until.getTime() - OVERLAP_MS);
  return since !== null && since < overlapped ? since : overlapped;
}

/** Holds while its anchor does: a channel whose documents were removed is read from its beginning. */
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
