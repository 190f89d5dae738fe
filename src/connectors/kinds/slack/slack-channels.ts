import { z } from 'zod';
import { listByCursor, SlackRefusal, type SlackApi } from './slack-api.ts';
import { channelFilter, unknownChannels, type SlackSettings } from './slack-settings.ts';

const CHANNEL = z.object({
  id: z.string(),
  name: z.string().nullish(),
  is_private: z.boolean().nullish(),
  is_archived: z.boolean().nullish(),
  is_member: z.boolean().nullish(),
});
const CHANNELS = z.object({ channels: z.array(CHANNEL) });

export interface SlackChannel {
  id: string;
  name: string;
  isPrivate: boolean;
  isArchived: boolean;
  isMember: boolean;
}

export interface ChosenChannels {
  /** In order of their ids, which no rename changes. */
  chosen: SlackChannel[];
  /** Names and ids in the settings that match no channel. */
  unknown: string[];
  /** Names of all channels, for mentions. */
  names: ReadonlyMap<string, string>;
}

/**
 * Public channels, and private ones with the bot as a member.
 * https://docs.slack.dev/reference/methods/conversations.list/
 */
export async function chooseChannels(
  api: SlackApi,
  settings: SlackSettings,
): Promise<ChosenChannels> {
  const all: SlackChannel[] = [];
  const parameters = { types: 'public_channel,private_channel', limit: '200' };
  for await (const { channels } of listByCursor(api, 'conversations.list', parameters, CHANNELS)) {
    all.push(...channels.map(channelOf));
  }
  return {
    chosen: all.filter(channelFilter(settings)).sort((a, b) => (a.id < b.id ? -1 : 1)),
    unknown: unknownChannels(settings, all),
    names: new Map(all.map(({ id, name }) => [id, name])),
  };
}

/** https://docs.slack.dev/reference/methods/conversations.info/ */
export async function readChannel(api: SlackApi, id: string): Promise<SlackChannel> {
  const { channel } = await api.call(
    'conversations.info',
    { channel: id },
    z.object({ channel: CHANNEL }),
  );
  return channelOf(channel);
}

/**
 * Makes the bot a member of a public channel: Slack shows history only to members.
 * https://docs.slack.dev/reference/methods/conversations.join/
 * @throws SlackRefusal when it may not join
 */
export async function enterChannel(api: SlackApi, channel: SlackChannel): Promise<void> {
  // An archived channel cannot be joined, but a bot that was a member can still read it.
  if (channel.isMember || channel.isPrivate || channel.isArchived) return;
  await api.call('conversations.join', { channel: channel.id }, z.object({}));
}

/** Codes that concern one channel; others would occur for every channel. */
const CHANNEL_ERRORS = new Set([
  'access_denied',
  'channel_not_found',
  'external_channel_migrating',
  'failed_for_some_users',
  'is_archived',
  'method_not_supported_for_channel_type',
  'no_permission',
  'not_in_channel',
  'restricted_action',
]);

/**
 * Why this channel cannot be read, if `error` says so; null: the error concerns something else. `outside`: the bot is
 * not a member and cannot become one. Unless the settings name the channel, it then simply is not among the bot's
 * channels.
 */
export function channelRefusal(
  error: unknown,
  channel: SlackChannel,
): { reason: string; outside: boolean } | null {
  if (!(error instanceof SlackRefusal)) return null;
  const mayNotJoin = error.code === 'missing_scope' && error.message.includes('conversations.join');
  if (!mayNotJoin && !CHANNEL_ERRORS.has(error.code)) return null;
  return {
    reason: `#${channel.name} cannot be read: ${error.message}`,
    outside: mayNotJoin || channel.isArchived,
  };
}

function channelOf(channel: z.infer<typeof CHANNEL>): SlackChannel {
  return {
    id: channel.id,
    name: channel.name || channel.id,
    isPrivate: channel.is_private ?? false,
    isArchived: channel.is_archived ?? false,
    isMember: channel.is_member ?? false,
  };
}
