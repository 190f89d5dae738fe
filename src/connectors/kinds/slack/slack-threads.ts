import type { ConnectorPage } from '#src/connectors/source/connector.ts';
import { PAGE_TIME_MS, type PageTime, startPageTime } from '#src/connectors/source/page-time.ts';
import { SlackRefusal, type SlackApi } from './slack-api.ts';
import { channelRefusal } from './slack-channels.ts';
import { documentIdOf, permalink, threadDocument, type SlackPlace } from './slack-document.ts';
import { changedAt, compareTs, isReply, readThread, type SlackMessage } from './slack-history.ts';

/** An app with one request a minute reads 75 messages of a thread in this time. */
const MAX_THREAD_MS = 5 * PAGE_TIME_MS;

/** A thread that is to be read. */
export interface DueRoot {
  rootTs: string;
  /** Null when it is not at hand. */
  root: SlackMessage | null;
  /** Of the message that made it due. */
  dueTs: string;
}

/** Of one run and one channel. */
export interface ThreadWindow {
  /** What changed from then on is read; null: everything. */
  since: Date | null;
  /** Where the walk of the history ends. */
  oldest: string;
  /** Known threads have their turn to be read again; null: none has. */
  again: { from: Date; until: Date; changedSince: Date | null } | null;
}

/** The threads that changed, or may have and have their turn, each once, in the order of the messages. */
export function dueRoots(
  messages: readonly SlackMessage[],
  { since, oldest, again }: ThreadWindow,
): DueRoot[] {
  const due = new Map<string, DueRoot>();
  for (const message of messages) {
    const isChanged =
      since === null || changedAt(message).getTime() >= lookedAtFrom(message, since);
    if (!isChanged && !isReadAgain(message, again)) continue;
    const { ts, thread_ts: threadTs } = message;
    if (!isReply(message)) due.set(ts, { rootTs: ts, root: message, dueTs: ts });
    // A reply that was also sent to the channel: its root comes by itself, unless it is older than the walk.
    else if (threadTs && compareTs(threadTs, oldest) <= 0 && !due.has(threadTs)) {
      due.set(threadTs, { rootTs: threadTs, root: null, dueTs: ts });
    }
  }
  return [...due.values()];
}

/**
 * History shows an edit of a root, but of replies only the last one's time, and edits of replies to apps that listen to
 * events alone: threads that were active shortly before are therefore read again.
 */
function lookedAtFrom({ reply_count: replies }: SlackMessage, since: Date): number {
  return since.getTime() - ((replies ?? 0) > 0 ? REPLY_EDIT_WINDOW_MS : 0);
}

const REPLY_EDIT_WINDOW_MS = 6 * 60 * 60_000;

const DAY_MS = 86_400_000;
/** A week after its last reply a thread is read again once a week instead of once a day. */
const LIVELY_MS = 7 * DAY_MS;

/**
 * Edits and deletions of older replies show nowhere but in the thread itself. Each thread has its own time of the day or the
 * week, when it was begun, so that each run reads a share of them and nothing needs to be kept about it.
 */
function isReadAgain(message: SlackMessage, again: ThreadWindow['again']): boolean {
  if (again === null || (message.reply_count ?? 0) === 0) return false;
  const changed = changedAt(message).getTime();
  if (again.changedSince !== null && changed < again.changedSince.getTime()) return false;
  const periodMs = again.until.getTime() - changed < LIVELY_MS ? DAY_MS : 7 * DAY_MS;
  const turnsUntil = (time: Date) =>
    Math.floor((time.getTime() - Number(message.ts) * 1_000) / periodMs);
  return turnsUntil(again.until) > turnsUntil(again.from);
}

export interface ReadThreads extends Pick<
  ConnectorPage<unknown>,
  'documents' | 'skipped' | 'failures' | 'removed'
> {
  /** `dueTs` of the last one when the time was over before all were read; null: all were. */
  stoppedAt: string | null;
}

/** Reads threads; one that Slack does not show is a failure of its own. Reads at least one, whatever the time. */
export async function readThreads(
  api: SlackApi,
  place: SlackPlace,
  due: readonly DueRoot[],
  { time, clock }: { time: PageTime; clock: () => Date },
): Promise<ReadThreads> {
  const read: ReadThreads = {
    documents: [],
    skipped: [],
    failures: [],
    removed: [],
    stoppedAt: null,
  };
  for (const [index, one] of due.entries()) {
    await addThread(read, api, place, one, startPageTime(clock, MAX_THREAD_MS));
    if (index === due.length - 1 || !time.isOver()) continue;
    read.stoppedAt = one.dueTs;
    break;
  }
  return read;
}

async function addThread(
  read: ReadThreads,
  api: SlackApi,
  place: SlackPlace,
  { rootTs, root }: DueRoot,
  time: PageTime,
): Promise<void> {
  const documentId = documentIdOf(place.channel.id, rootTs);
  try {
    const isAlone = root !== null && (root.reply_count ?? 0) === 0;
    const thread = isAlone ? [root] : await readThread(api, place.channel.id, rootTs, time);
    const found = thread.length > 0 ? await threadDocument(rootTs, thread, place) : null;
    if (found === null) read.removed.push(documentId);
    else if ('skipped' in found) read.skipped.push({ documentId, reason: found.skipped });
    else read.documents.push(found);
  } catch (error) {
    if (!(error instanceof SlackRefusal) || channelRefusal(error, place.channel)) throw error;
    if (error.code === 'missing_scope') throw error;
    if (error.code === 'thread_not_found') read.removed.push(documentId);
    else {
      const link = permalink(place, rootTs, rootTs);
      read.failures.push({ documentId, link, entityId: null, reason: error.message });
    }
  }
}
