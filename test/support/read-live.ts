import type { TestMillrace } from './test-millrace.ts';

/** The first events of a live stream: by topic, its data. */
export interface LiveEvents {
  response: Response;
  byTopic: Map<string, Record<string, unknown>>;
}

/**
 * Follows topics until each has told its state, or until `isEnough`.
 * @param topics as in the query, each percent-encoded where its id needs it
 */
export async function readLive(
  { url }: Pick<TestMillrace, 'url'>,
  topics: readonly string[],
  key: string,
  isEnough: (events: LiveEvents['byTopic']) => boolean = ({ size }) => size === topics.length,
): Promise<LiveEvents> {
  const controller = new AbortController();
  const response = await fetch(`${url}/live?topics=${encodeURIComponent(topics.join())}`, {
    headers: { Authorization: `Bearer ${key}` },
    signal: controller.signal,
  });
  const decoder = new TextDecoder();
  const byTopic: LiveEvents['byTopic'] = new Map();
  let text = '';
  for await (const chunk of response.body ?? []) {
    text += decoder.decode(chunk, { stream: true });
    const parts = text.split('\n\n');
    text = parts.pop() ?? '';
    for (const part of parts) {
      const [, topic = '', data = '{}'] = /^event: (.*)\nid: .*\ndata: (.*)$/.exec(part) ?? [];
      if (topic !== '') byTopic.set(topic, JSON.parse(data) as Record<string, unknown>);
    }
    if (isEnough(byTopic)) break;
  }
  controller.abort();
  return { response, byTopic };
}
