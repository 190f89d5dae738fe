import { type PiscinaTask, queueOptionsSymbol } from 'piscina';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { type IndexThreads, openIndexThreads } from '#src/documents/index-threads.ts';
import { prepareDocument } from '#src/documents/prepare-document.ts';
import { patient, TaskQueueWithPatience } from '#src/documents/task-queue.ts';
import { createLog } from '#src/platform/log.ts';

const never = new AbortController().signal;

let threads: IndexThreads;
beforeAll(() => {
  threads = openIndexThreads(1, createLog('silent'));
});
afterAll(() => threads.close());

const documentOf = (text: string) => ({
  workspaceId: '00000000-0000-4000-8000-000000000001',
  title: 'A document',
  sectionsJson: JSON.stringify([{ text, link: null }]),
  metadata: {},
  dimensions: 256,
});
const small = documentOf('A few words.');
const large = documentOf('Many different words of a large document.\n\n'.repeat(12_000));

describe('indexing threads', () => {
  it('prepare a small document while working on a large one', async () => {
    const order: string[] = [];
    await Promise.all([
      threads.prepare([large], never).then(() => order.push('large')),
      threads.prepare([small], never).then(() => order.push('small')),
    ]);
    expect(order).toEqual(['small', 'large']);
  });

  it('embed a small document while working on a large one', async () => {
    const texts = Array.from({ length: 640 }, (_, n) => `${n} ${'words of a chunk '.repeat(40)}`);
    const order: string[] = [];
    await Promise.all([
      ...[1, 2, 3].map(() => threads.embed(texts, 256, never).then(() => order.push('large'))),
      threads.embed(['A few words.'], 256, never).then(() => order.push('small')),
    ]);
    expect(order).toEqual(['small', 'large', 'large', 'large']);
  });

  it('produce the same result for a large document in pieces as in one piece', async () => {
    const [prepared] = await threads.prepare([large], never);
    expect(prepared).toEqual(prepareDocument(large));
  });

  it('report why a large document cannot be indexed', async () => {
    const [prepared] = await threads.prepare([documentOf('\u0001\u0002'.repeat(200_000))], never);
    expect(prepared).toEqual({ failure: expect.stringContaining('binary data') });
  });

  it('report a document without its text', async () => {
    const [prepared] = await threads.prepare([{ ...small, sectionsJson: 'null' }], never);
    expect(prepared).toEqual({ failure: expect.stringContaining('Send the document again.') });
  });
});

describe('the task queue of the threads', () => {
  /** A task as the pool passes it to the queue, with its own options under a symbol. */
  const taskOf = (name: string, task: object): PiscinaTask =>
    // The queue reads only the symbol and the name.
    ({ name, [queueOptionsSymbol]: Reflect.get(task, queueOptionsSymbol) ?? null }) as PiscinaTask;

  it('returns patient tasks only when there are no others, each kind in order', () => {
    const queue = new TaskQueueWithPatience();
    const gone = taskOf('gone', patient({}));
    for (const task of [
      taskOf('p1', patient({})),
      gone,
      taskOf('o1', {}),
      taskOf('p2', patient({})),
      taskOf('o2', {}),
    ]) {
      queue.push(task);
    }
    queue.remove(gone);
    queue.unshift(taskOf('o0', {}));
    expect(queue.size).toBe(5);
    const names = Array.from({ length: 6 }, () => {
      const task = queue.shift();
      return task && Reflect.get(task, 'name');
    });
    expect(names).toEqual(['o0', 'o1', 'o2', 'p1', 'p2', null]);
    expect(queue.size).toBe(0);
  });
});
