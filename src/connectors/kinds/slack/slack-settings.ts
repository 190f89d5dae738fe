import { createContext, Script } from 'node:vm';
import { z } from 'zod';
import { SourceRefused } from '#src/connectors/source/source-errors.ts';
import { matchWithin } from './match-within.ts';

const CHANNEL_LIST = z
  .array(z.string().trim().min(1))
  .nullish()
  .transform((channels) => (channels && channels.length > 0 ? channels : null));

export const SLACK_SETTINGS = z
  .strictObject({
    channels: CHANNEL_LIST.describe(
      'Channels to index, by name (with or without #) or id. Empty: every public channel, and every private one that the bot is in.',
    ),
    channel_regex_enabled: z
      .boolean()
      .default(false)
      .describe('Read "channels" as regular expressions that must match a whole channel name.')
      .meta({ title: 'Channels are regular expressions' }),
    include_bot_messages: z
      .boolean()
      .default(false)
      .describe('Index what bots and apps write, too.'),
    exclude_channels: CHANNEL_LIST.describe('Channels to leave out, by name or id.').meta({
      title: 'Channels to leave out',
    }),
    exclude_channel_regex_enabled: z
      .boolean()
      .default(false)
      .describe('Read "exclude_channels" as regular expressions.')
      .meta({ title: 'Channels to leave out are regular expressions' }),
  })
  .superRefine((settings, issues) => {
    const lists = [
      ['channels', settings.channel_regex_enabled],
      ['exclude_channels', settings.exclude_channel_regex_enabled],
    ] as const;
    for (const [field, isRegex] of lists) {
      if (!isRegex) continue;
      for (const pattern of settings[field] ?? []) {
        const problem = patternProblem(pattern);
        if (problem !== null) issues.addIssue({ code: 'custom', path: [field], message: problem });
      }
    }
  });

export type SlackSettings = z.infer<typeof SLACK_SETTINGS>;

export const SLACK_CREDENTIAL = z.strictObject({
  slack_bot_token: z
    .string()
    .trim()
    .min(1)
    .describe('Bot User OAuth Token of a Slack app; begins with xoxb-.')
    .meta({ title: 'Bot token', writeOnly: true }),
});

interface NamedChannel {
  id: string;
  name: string;
}

/** Whether the settings include this channel. */
export function channelFilter(settings: SlackSettings): (channel: NamedChannel) => boolean {
  const wanted = settings.channels?.map((one) => matcherOf(one, settings.channel_regex_enabled));
  const unwanted = settings.exclude_channels?.map((one) =>
    matcherOf(one, settings.exclude_channel_regex_enabled),
  );
  return (channel) =>
    (wanted?.some((matches) => matches(channel)) ?? true) &&
    !unwanted?.some((matches) => matches(channel));
}

/** The names and ids in the settings that match no channel; patterns may match nothing. */
export function unknownChannels(
  settings: SlackSettings,
  channels: readonly NamedChannel[],
): string[] {
  if (settings.channel_regex_enabled) return [];
  return (settings.channels ?? []).filter((name) => !channels.some(matcherOf(name, false)));
}

function matcherOf(wanted: string, isRegex: boolean): (channel: NamedChannel) => boolean {
  if (isRegex) {
    const matches = boundedTest(wholeName(wanted), wanted);
    return ({ name }) => matches(name);
  }
  const name = wanted.replace(/^#/, '').toLowerCase();
  return (channel) => channel.name.toLowerCase() === name || channel.id === wanted;
}

const MATCH = new Script('pattern.test(name)');

/**
 * Patterns such as `(a+)+b` take exponential time, and block the one thread that all workspaces share. Names have at
 * most 80 characters: a pattern that takes noticeable time would run for hours.
 */
function boundedTest(pattern: RegExp, written: string): (name: string) => boolean {
  const place = createContext({ pattern, name: '' });
  return (name) => {
    place['name'] = name;
    try {
      return matchWithin((timeout) => MATCH.runInContext(place, { timeout }) === true);
    } catch (error) {
      throw new SourceRefused(
        `The pattern "${written}" takes too long for the channel ${name}. Write it without repetitions inside of repetitions.`,
        { cause: error },
      );
    }
  };
}

function wholeName(pattern: string): RegExp {
  return new RegExp(`^(?:${pattern.replace(/^#/, '')})$`);
}

function patternProblem(pattern: string): string | null {
  try {
    wholeName(pattern);
    return null;
  } catch (error) {
    return `"${pattern}" is not a regular expression: ${error instanceof Error ? error.message : String(error)}`;
  }
}
