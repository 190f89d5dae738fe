import { describe, expect, it } from 'vitest';
import { LiveHub } from '#src/operations/live-hub.ts';
import { streamLive } from '#src/operations/live-stream.ts';

/** Time stands still until the test lets all waits end. */
function open() {
  let release = Promise.withResolvers<void>();
  const hub = new LiveHub(async (_ms, signal) => {
    await Promise.race([
      release.promise,
      new Promise<void>((resolve) => signal.addEventListener('abort', () => resolve())),
    ]);
  });
  let value = 1;
  let loads = 0;
  /** Users who may read no longer. */
  const left = new Set<string>();
  const load = async () => {
    loads += 1;
    return { at: `time ${loads}`, value };
  };
  const topic = { name: 'queues', key: 'queues', load };
  const nextLook = (): void => {
    const { resolve } = release;
    release = Promise.withResolvers<void>();
    resolve();
  };
  const stream = (seen: string | null = null, topics = [topic], userId = 'u') => {
    const controller = new AbortController();
    const reader = { userId, credential: userId, isStill: async () => !left.has(userId) };
    const parts = streamLive(hub, topics, { reader, seen, signal: controller.signal });
    return { parts, leave: () => controller.abort() };
  };
  return {
    hub,
    left,
    topic,
    stream,
    nextLook,
    loads: () => loads,
    set: (to: number) => {
      value = to;
    },
  };
}

type Parts = AsyncGenerator<string>;
async function nextEvent(
  parts: Parts,
): Promise<{ event: string; id: string; data: { value: number } }> {
  for (;;) {
    const { value } = (await parts.next()) as { value: string };
    const [, event = '', id = '', data = ''] =
      /^event: (.*)\nid: (.*)\ndata: (.*)\n\n$/.exec(value) ?? [];
    if (event !== '') return { event, id, data: JSON.parse(data) as { value: number } };
  }
}

describe('live streams', () => {
  it('share one set of queries, and show each state once', async () => {
    const { stream, nextLook, loads, set } = open();
    const tabs = Array.from({ length: 10 }, () => stream());
    const first = await Promise.all(tabs.map(({ parts }) => nextEvent(parts)));
    expect(first.map(({ data }) => data.value)).toEqual(Array.from({ length: 10 }, () => 1));
    expect(loads()).toBe(1);
    set(2);
    nextLook();
    const second = await Promise.all(tabs.map(({ parts }) => nextEvent(parts)));
    expect(second.every(({ data }) => data.value === 2)).toBe(true);
    expect(loads()).toBe(2);
  });

  it('say nothing when only the time has changed', async () => {
    const { hub, topic, stream, nextLook, loads } = open();
    await nextEvent(stream().parts);
    let changes = 0;
    using follower = hub.follow(topic.key, topic.load, () => {
      changes += 1;
    });
    const before = follower.latest();
    nextLook();
    await expect.poll(loads).toBe(2);
    expect([changes, follower.latest()]).toEqual([0, before]);
  });

  it('resume: a client that has the present state gets only what is new to it', async () => {
    const { stream, nextLook, set } = open();
    const { id } = await nextEvent(stream().parts);
    const back = stream(id);
    expect((await back.parts.next()).value).toBe(': live\n\n');
    const next = back.parts.next();
    set(7);
    nextLook();
    expect((await next).value).toContain('"value":7');
    expect((await nextEvent(stream('queues=older').parts)).data.value).toBe(7);
    expect((await nextEvent(stream('§nonsense').parts)).data.value).toBe(7);
  });

  it('stop asking when there are no readers', async () => {
    const { hub, stream, nextLook, loads } = open();
    const tab = stream();
    await nextEvent(tab.parts);
    const end = tab.parts.next();
    tab.leave();
    expect((await end).done).toBe(true);
    expect(hub.topics).toBe(0);
    nextLook();
    await new Promise((resolve) => setImmediate(resolve));
    expect(loads()).toBe(1);
  });

  it('end before the next state for readers who lost access, and only for them', async () => {
    const { left, stream, nextLook, set } = open();
    const [own, other] = [stream(), stream(null, undefined, 'another')];
    await Promise.all([nextEvent(own.parts), nextEvent(other.parts)]);
    const end = own.parts.next();
    left.add('u');
    nextLook();
    expect((await end).done).toBe(true);
    set(2);
    nextLook();
    expect((await nextEvent(other.parts)).data.value).toBe(2);
  });

  it('end when the process stops', async () => {
    const { hub, stream } = open();
    const { parts } = stream();
    await nextEvent(parts);
    const end = parts.next();
    hub.stop();
    expect((await end).done).toBe(true);
  });

  it('are bounded for a user, and a closed one makes room', async () => {
    const { stream } = open();
    const tabs = Array.from({ length: 50 }, () => stream());
    await Promise.all(tabs.map(({ parts }) => parts.next()));
    await expect(stream().parts.next()).rejects.toMatchObject({ code: 'RATE_LIMIT_EXCEEDED' });
    expect((await stream(null, undefined, 'another').parts.next()).done).toBe(false);
    await tabs[0]?.parts.return(undefined);
    expect((await stream().parts.next()).done).toBe(false);
  });
});
