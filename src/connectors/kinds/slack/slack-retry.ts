import type { ConnectorContext, ConnectorPage } from '#src/connectors/source/connector.ts';
import { startPageTime } from '#src/connectors/source/page-time.ts';
import { SlackRefusal, type SlackApi } from './slack-api.ts';
import { enterChannel, readChannel, type SlackChannel } from './slack-channels.ts';
import { parseDocumentId, permalink } from './slack-document.ts';
import { readSlackFiles } from './slack-files.ts';
import type { SlackMessage } from './slack-history.ts';
import { createSlackPeople, type SlackPeople } from './slack-people.ts';
import { channelFilter, type SlackSettings } from './slack-settings.ts';
import { readThreads } from './slack-threads.ts';

type Page = Omit<ConnectorPage<unknown>, 'checkpoint'>;

interface Retry {
  api: SlackApi;
  settings: SlackSettings;
  people: SlackPeople;
  workspaceUrl: string;
  context: ConnectorContext;
  /** Null: Slack does not show the channel to the bot, or the settings no longer choose it. */
  channels: Map<string, SlackChannel | null>;
}

/** Refetches threads that failed in an earlier run. One that fails again does not stop the others. */
export async function* fetchThreads(
  given: Omit<Retry, 'people' | 'channels'>,
  documentIds: readonly string[],
): AsyncGenerator<Page, void> {
  const retry = { ...given, people: createSlackPeople(given.api), channels: new Map() };
  for (const documentId of documentIds) {
    const page: Page = {
      documents: [],
      unchanged: [],
      skipped: [],
      failures: [],
      removed: [],
      memory: [],
      description: 'threads that failed before',
      estimatedTotal: documentIds.length,
    };
    yield { ...page, ...(await fetchThread(retry, documentId)) };
  }
}

async function fetchThread(retry: Retry, documentId: string): Promise<Partial<Page>> {
  const { api, context, settings, people, workspaceUrl } = retry;
  const parsed = parseDocumentId(documentId);
  if (!parsed) return { removed: [documentId] };
  const { channel: id, rootTs } = parsed;
  try {
    const channel = await findChannel(retry, id);
    if (!channel) return { removed: [documentId] };
    await enterChannel(api, channel);
    const place = {
      workspaceUrl,
      people,
      channel,
      channelNames: new Map([[channel.id, channel.name]]),
      includeBots: settings.include_bot_messages,
      readFiles: (messages: readonly SlackMessage[]) =>
        readSlackFiles(api, (file) => context.parse(file), messages),
    };
    const { clock } = context;
    const due = [{ rootTs, root: null, dueTs: rootTs }];
    const { stoppedAt: _, ...read } = await readThreads(api, place, due, {
      time: startPageTime(clock),
      clock,
    });
    return read;
  } catch (error) {
    if (!(error instanceof SlackRefusal) || error.code === 'missing_scope') throw error;
    const link = permalink({ workspaceUrl, channel: { id } }, rootTs, rootTs);
    return { failures: [{ documentId, link, entityId: null, reason: error.message }] };
  }
}

async function findChannel(
  { api, channels, settings }: Retry,
  id: string,
): Promise<SlackChannel | null> {
  const known = channels.get(id);
  if (known !== undefined) return known;
  const found = await readChannelOrNull(api, id);
  const chosen = found && channelFilter(settings)(found) ? found : null;
  channels.set(id, chosen);
  return chosen;
}

async function readChannelOrNull(api: SlackApi, id: string): Promise<SlackChannel | null> {
  try {
    return await readChannel(api, id);
  } catch (error) {
    if (error instanceof SlackRefusal && error.code === 'channel_not_found') return null;
    throw error;
  }
}
