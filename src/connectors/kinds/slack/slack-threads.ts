import type { ConnectorPage } from '#src/connectors/source/connector.ts';
import { PAGE_TIME_MS, type PageTime, startPageTime } from '#src/connectors/source/page-time.ts';
import { SlackRefusal, type SlackApi } from './slack-api.ts';
import { channelRefusal } from './slack-channels.ts';
import { documentIdOf, permalink, threadDocument, type SlackPlace } from './slack-document.ts';
import { changedAt, compareTs, isReply, readThread, type SlackMessage } from './slack-history.ts';

/** In this time, an app limited to one request a minute reads 75 messages of a thread. */
const MAX_THREAD_MS = 5 * PAGE_TIME_MS;

/** A thread to read. */
export interface DueRoot {
  rootTs: string;
  /** Null when it has not been fetched. */
  root: SlackMessage | null;
  /** The `ts` of the message that made the thread due. */
  dueTs: string;
}

/** For one run and one channel. */
export interface ThreadWindow {
  /** Changes since then are read; null: everything. */
  since: Date | null;
  /** Where the walk through the history ends. */
  oldest: string;
  /** The time span whose turns of known threads are due; null: none. */
  again: { from: Date; until: Date; changedSince: Date | null } | null;
}

/** The threads that have changed, or whose turn for a re-read has come, without duplicates, in message order. */
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
    // A reply also sent to the channel: the walk meets its root, unless that is older than the walk.
    else if (threadTs && compareTs(threadTs, oldest) <= 0 && !due.has(threadTs)) {
      due.set(threadTs, { rootTs: threadTs, root: null, dueTs: ts });
    }
  }
  return [...due.values()];
}

/**
 * History shows edits of a root, but of replies only the time of the last one; edits of replies are reported only as
 * events. Therefore recently active threads are read again.
 */
function lookedAtFrom({ reply_count: replies }: SlackMessage, since: Date): number {
  return since.getTime() - ((replies ?? 0) > 0 ? REPLY_EDIT_WINDOW_MS : 0);
}

const REPLY_EDIT_WINDOW_MS = 6 * 60 * 60_000;

const DAY_MS = 86_400_000;
/** A week after its last reply, a thread is read again weekly instead of daily. */
const LIVELY_MS = 7 * DAY_MS;

/**
 * Edits and deletions of older replies are visible only in the thread itself. Each thread's turn in the day or week
 * follows from the time it was started, so each run reads a share of the threads without keeping any state about
 * them.
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
  /** `dueTs` of the last one when the time was up before all were read; null when all were. */
  stoppedAt: string | null;
}

/** Reads threads; one that Slack does not return is a failure of its own. Reads at least one, whatever the time. */
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
