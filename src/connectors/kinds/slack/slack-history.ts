import { z } from 'zod';
import type { PageTime } from '#src/connectors/source/page-time.ts';
import { SourceUnavailable } from '#src/connectors/source/source-errors.ts';
import { listByCursor, SlackRefusal, type SlackApi } from './slack-api.ts';
import { SLACK_FILE } from './slack-file.ts';

/** Apps put anything into messages: an unexpected part must not keep a whole channel from being read. */
const ATTACHMENT = z.object({
  pretext: z.string().nullish(),
  title: z.string().nullish(),
  title_link: z.string().nullish(),
  text: z.string().nullish(),
  fallback: z.string().nullish(),
  fields: z.array(z.object({ title: z.string().nullish(), value: z.string().nullish() })).nullish(),
  blocks: z.array(z.unknown()).nullish(),
});
export type SlackAttachment = z.infer<typeof ATTACHMENT>;

/** https://docs.slack.dev/reference/events/message/ */
const MESSAGE = z.object({
  /** Seconds and a counter, such as "1700000000.000100": time, order and id within the channel in one. */
  ts: z.string().regex(/^\d+\.\d+$/),
  subtype: z.string().nullish(),
  text: z.string().nullish(),
  user: z.string().nullish(),
  bot_id: z.string().nullish(),
  username: z.string().nullish(),
  bot_profile: z.object({ name: z.string().nullish() }).nullish(),
  /** The root's `ts`; the root has it, too, once there are replies. */
  thread_ts: z.string().nullish(),
  reply_count: z.number().nullish(),
  latest_reply: z.string().nullish(),
  edited: z.object({ ts: z.string().nullish() }).nullish(),
  attachments: z.array(ATTACHMENT.catch({})).nullish(),
  files: z.array(SLACK_FILE.catch({})).nullish(),
  blocks: z.array(z.unknown()).nullish(),
});
const MESSAGES = z.object({ messages: z.array(MESSAGE), has_more: z.boolean().nullish() });

export type SlackMessage = z.infer<typeof MESSAGE>;

/** Slack recommends no more; an app outside its marketplace gets 15 whatever it requests. */
const MESSAGES_PER_REQUEST = '200';

export interface HistoryPortion {
  /** Newest first. */
  messages: SlackMessage[];
  isLast: boolean;
}

/**
 * Messages between two times, both exclusive, newest first: thread roots, single messages, and replies that were also
 * sent to the channel. Each request asks for messages older than the last one seen: unlike a cursor, that never
 * expires, and new messages do not shift it. Both bounds are always sent: with `oldest` alone a portion need not be
 * the newest. https://docs.slack.dev/reference/methods/conversations.history/
 */
export async function* walkHistory(
  api: SlackApi,
  channel: string,
  range: { oldest: string; latest: string },
): AsyncGenerator<HistoryPortion, void> {
  let { latest } = range;
  for (;;) {
    const { messages, isLast } = await readPortion(api, channel, { ...range, latest });
    yield { messages, isLast };
    if (isLast) return;
    const last = messages.at(-1);
    if (!last || compareTs(last.ts, latest) >= 0) {
      throw new SourceUnavailable(`Slack sent no older messages of ${channel}, but reports more.`);
    }
    latest = last.ts;
  }
}

/** An empty portion may have more after it; the cursor then leads past what Slack left out. */
async function readPortion(
  api: SlackApi,
  channel: string,
  range: { oldest: string; latest: string },
): Promise<HistoryPortion> {
  const parameters = { channel, ...range, inclusive: 'false', limit: MESSAGES_PER_REQUEST };
  for await (const answer of listByCursor(api, 'conversations.history', parameters, MESSAGES)) {
    const isLast = !answer.has_more && !answer.response_metadata?.next_cursor;
    if (answer.messages.length > 0 || isLast) {
      const messages = answer.messages.sort((a, b) => compareTs(b.ts, a.ts));
      return { messages, isLast };
    }
  }
  throw new SourceUnavailable(`Slack sent no messages of ${channel}, but reports more.`);
}

/**
 * A whole thread, oldest first, including its root; a single message is a thread of one.
 * https://docs.slack.dev/reference/methods/conversations.replies/
 * @throws SlackRefusal also when the time runs out before the end of the thread
 */
export async function readThread(
  api: SlackApi,
  channel: string,
  rootTs: string,
  time: PageTime,
): Promise<SlackMessage[]> {
  // By ts: the root may be repeated on every page.
  const messages = new Map<string, SlackMessage>();
  const parameters = { channel, ts: rootTs, limit: MESSAGES_PER_REQUEST };
  for await (const answer of listByCursor(api, 'conversations.replies', parameters, MESSAGES)) {
    for (const message of answer.messages) messages.set(message.ts, message);
    if (time.isOver() && answer.response_metadata?.next_cursor) {
      const read = `only ${messages.size} messages of this thread were read`;
      throw new SlackRefusal('too_slow', `Slack is too slow: in the time for one thread, ${read}.`);
    }
  }
  return [...messages.values()].sort((a, b) => compareTs(a.ts, b.ts));
}

/** Whether it is in the channel only as a copy: its thread is another document. */
export function isReply(message: SlackMessage): boolean {
  return Boolean(message.thread_ts) && message.thread_ts !== message.ts;
}

/** The latest of the root's own time, its last edit and its last reply. */
export function changedAt({ ts, edited, latest_reply: latestReply }: SlackMessage): Date {
  return new Date(
    Math.max(...[ts, edited?.ts, latestReply].map((one) => Number(one ?? 0))) * 1_000,
  );
}

export function tsOf(date: Date): string {
  const seconds = Math.max(0, date.getTime()) / 1_000;
  return seconds.toFixed(6);
}

export function compareTs(a: string, b: string): number {
  const [secondsA = '', counterA = ''] = a.split('.');
  const [secondsB = '', counterB = ''] = b.split('.');
  return Number(secondsA) - Number(secondsB) || Number(counterA) - Number(counterB);
}
