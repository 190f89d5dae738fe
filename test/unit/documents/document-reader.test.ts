import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { type DocumentReader, openDocumentReader } from '#src/documents/document-reader.ts';
import type { WorkspaceId } from '#src/ids.ts';
import { createLog } from '#src/platform/log.ts';
import { until } from '#test/support/until.ts';

const WAITING = new URL('../../fixtures/documents/waiting-read-thread.ts', import.meta.url).href;
const SHORT = 100_000;
const LONG = 1_000_000;
const THREADS = 3;

const contextOf = (workspace: string) => ({
  workspaceId: workspace as WorkspaceId,
  writer: null,
  requestId: null,
  maxBytes: LONG,
});

/** A body whose thread waits until it is let go. */
function held(size: number): { bytes: Buffer; letGo(): void } {
  const shared = new SharedArrayBuffer(size);
  return {
    bytes: Buffer.from(shared),
    letGo() {
      Atomics.store(new Int32Array(shared), 0, 1);
      Atomics.notify(new Int32Array(shared), 0);
    },
  };
}

let waits: AbortController[];
let tasks: AbortController[];
let reader: DocumentReader;
beforeEach(() => {
  const started = (list: AbortController[]) => () => {
    const controller = new AbortController();
    list.push(controller);
    return controller.signal;
  };
  [waits, tasks] = [[], []];
  reader = openDocumentReader(createLog('silent'), {
    filename: WAITING,
    startWait: started(waits),
    startTask: started(tasks),
  });
});
afterEach(() => reader.close());

const read = (workspace: string, bytes: Buffer, signal?: AbortSignal) =>
  reader.read(bytes, 'batch', contextOf(workspace), signal);
const tasksRun = (count: number) => until(async () => tasks.length === count);

describe('large bodies of several workspaces', () => {
  it('of one that holds its threads do not keep those of another waiting', async () => {
    const first = held(LONG);
    const reading = read('hostile', first.bytes);
    const others = Array.from({ length: 8 }, () => read('hostile', Buffer.alloc(LONG)));
    await tasksRun(1);
    await expect(read('small', Buffer.alloc(SHORT))).resolves.toEqual([]);
    await expect(read('also large', Buffer.alloc(LONG))).resolves.toEqual([]);
    expect(tasks).toHaveLength(3);
    first.letGo();
    await Promise.all([reading, ...others]);
  });

  it('leave a thread for small ones, however many workspaces send long ones', async () => {
    const bodies = ['a', 'b', 'c', 'd'].map((workspace) => ({ workspace, ...held(LONG) }));
    const reading = bodies.map(({ workspace, bytes }) => read(workspace, bytes));
    await tasksRun(THREADS - 1);
    await expect(read('small', Buffer.alloc(SHORT))).resolves.toEqual([]);
    for (const body of bodies) body.letGo();
    await Promise.all(reading);
  });

  it('are read next when they are of whom the least was read', async () => {
    const bodies = Array.from({ length: 2 }, () => held(SHORT));
    const reading = bodies.map(({ bytes }) => read('hostile', bytes));
    const another = held(SHORT);
    const third = read('another', another.bytes);
    await tasksRun(THREADS);
    const order: string[] = [];
    const rest = ['hostile', 'hostile', 'small'].map((workspace) =>
      read(workspace, Buffer.alloc(SHORT)).then(() => order.push(workspace)),
    );
    bodies[0]?.letGo();
    await Promise.all(rest);
    expect(order[0]).toBe('small');
    for (const body of [...bodies, another]) body.letGo();
    await Promise.all([...reading, third]);
  });
});

describe('the time of a large body', () => {
  it('starts when a thread takes it, not while it waits for one', async () => {
    const first = held(LONG);
    const reading = read('one', first.bytes);
    await tasksRun(1);
    const second = read('one', Buffer.alloc(LONG));
    expect([waits.length, tasks.length]).toEqual([2, 1]);
    first.letGo();
    await Promise.all([reading, second]);
    expect(tasks).toHaveLength(2);
  });

  it('is too long for a request when it is up in a thread', async () => {
    const reading = read('one', held(LONG).bytes);
    await tasksRun(1);
    tasks[0]?.abort();
    await expect(reading).rejects.toMatchObject({ code: 'PAYLOAD_TOO_LARGE' });
  });

  it('is up for now when it is up in the queue: the answer tells when to send it again', async () => {
    const first = held(LONG);
    const reading = read('one', first.bytes);
    await tasksRun(1);
    const second = read('one', Buffer.alloc(LONG));
    waits[1]?.abort();
    await expect(second).rejects.toMatchObject({
      code: 'SERVICE_UNAVAILABLE',
      retryAfterSeconds: 10,
      message: expect.stringContaining('Nothing of this one was stored.'),
    });
    first.letGo();
    await reading;
    await expect(read('one', Buffer.alloc(LONG))).resolves.toEqual([]);
  });

  it('ends with the client while it waits', async () => {
    const first = held(LONG);
    const reading = read('one', first.bytes);
    await tasksRun(1);
    const client = new AbortController();
    const second = read('one', Buffer.alloc(LONG), client.signal);
    client.abort();
    await expect(second).rejects.toMatchObject({ code: 'SERVICE_UNAVAILABLE' });
    first.letGo();
    await reading;
    expect(tasks).toHaveLength(1);
  });
});
