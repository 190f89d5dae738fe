import { z } from 'zod';
import {
  defineConnector,
  type AnyConnector,
  type ConnectorContext,
} from '#src/connectors/source/connector.ts';
import { openSlackApi, type SlackApi } from './slack-api.ts';
import { channelRefusal, chooseChannels, enterChannel } from './slack-channels.ts';
import { documentIdOf, mayBeDocument } from './slack-document.ts';
import { walkHistory } from './slack-history.ts';
import { createSlackPeople } from './slack-people.ts';
import {
  DOCUMENTS_PER_PAGE,
  pollChannels,
  SLACK_CHECKPOINT,
  unknownChannelReason,
} from './slack-poll.ts';
import { fetchThreads } from './slack-retry.ts';
import { SLACK_CREDENTIAL, SLACK_SETTINGS, type SlackSettings } from './slack-settings.ts';
import { SourceRefused } from '#src/connectors/source/source-errors.ts';

/** Exclusive upper bound; no message is ever later. */
const END_OF_TIME = '9999999999.000000';

/** Written from https://docs.slack.dev/reference/methods/ and the pages linked beside each call. */
export function createSlackConnector({ apiBase = 'https://slack.com/api' } = {}): AnyConnector {
  const open = (credential: z.infer<typeof SLACK_CREDENTIAL>, { http }: ConnectorContext) =>
    openSlackApi(http, apiBase, credential.slack_bot_token);
  return defineConnector<
    SlackSettings,
    z.infer<typeof SLACK_CREDENTIAL>,
    z.infer<typeof SLACK_CHECKPOINT>
  >({
    kind: 'slack',
    aliases: [],
    title: 'Slack',
    summary: 'Messages and threads of the channels that a Slack bot can read.',
    settings: SLACK_SETTINGS,
    credential: SLACK_CREDENTIAL,
    checkpoint: SLACK_CHECKPOINT,
    // History and replies are tier 3, 50 calls a minute each: https://docs.slack.dev/apis/web-api/rate-limits/
    limits: { concurrentRequests: 1, requestsPerSecond: 1, documentsPerPage: DOCUMENTS_PER_PAGE },
    defaultRefreshSeconds: 1_800,
    check: async (settings, credential, context) =>
      checkAccess(open(credential, context), settings),
    async *poll(settings, credential, checkpoint, context) {
      const api = open(credential, context);
      const workspaceUrl = await readWorkspaceUrl(api);
      const people = createSlackPeople(api);
      yield* pollChannels({ api, settings, people, workspaceUrl, context }, checkpoint);
    },
    listIds: (settings, credential, context) => listThreads(open(credential, context), settings),
    async *fetchAgain(settings, credential, ids, context) {
      const api = open(credential, context);
      const workspaceUrl = await readWorkspaceUrl(api);
      yield* fetchThreads({ api, settings, workspaceUrl, context }, ids);
    },
  });
}

export const slack = createSlackConnector();

/** https://docs.slack.dev/reference/methods/auth.test/ */
async function readWorkspaceUrl(api: SlackApi): Promise<string> {
  return (await api.call('auth.test', {}, z.object({ url: z.url() }))).url;
}

/** Tests each permission that a run needs: channels, membership, history, and user names. */
async function checkAccess(api: SlackApi, settings: SlackSettings): Promise<void> {
  const { user_id: botUser } = await api.call('auth.test', {}, z.object({ user_id: z.string() }));
  await api.call('users.info', { user: botUser }, z.object({}));
  const { chosen, unknown } = await chooseChannels(api, settings);
  const [missing] = unknown;
  if (missing !== undefined) throw new SourceRefused(unknownChannelReason(missing));
  const channel = chosen.find(({ isMember }) => isMember) ?? chosen.find((one) => !one.isArchived);
  if (!channel) throw new SourceRefused('The bot can see no channel that the settings choose.');
  await enterChannel(api, channel);
  await api.call('conversations.history', { channel: channel.id, limit: '1' }, z.object({}));
}

/** Walks the entire history: Slack has no other list of what still exists. */
async function* listThreads(
  api: SlackApi,
  settings: SlackSettings,
): AsyncGenerator<string[], void> {
  const { chosen, unknown } = await chooseChannels(api, settings);
  const [missing] = unknown;
  if (missing !== undefined) throw new SourceRefused(unknownChannelReason(missing));
  for (const channel of chosen) {
    try {
      await enterChannel(api, channel);
      const range = { oldest: '0', latest: END_OF_TIME };
      for await (const { messages } of walkHistory(api, channel.id, range)) {
        yield messages
          .filter((message) => mayBeDocument(message, settings.include_bot_messages))
          .map(({ ts }) => documentIdOf(channel.id, ts));
      }
    } catch (error) {
      // A channel closed to the bot has no documents any more; every other refusal may be temporary.
      if (settings.channels !== null || !channelRefusal(error, channel)?.outside) throw error;
    }
  }
}
