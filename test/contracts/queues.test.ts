import { existsSync, readdirSync } from 'node:fs';
import { describe, expect, it } from 'vitest';
import { z } from 'zod';
import { QUEUES } from '#queues/index.ts';
import { loadWorker, queuesByName } from '#workers/index.ts';

/** Files of the two folders that are neither a queue nor a worker. */
const NON_QUEUE_FILES = ['index', 'pair-payload', 'producer', 'queue', 'read-jobs', 'waiting-age'];
const NON_WORKER_FILES = ['attempt-job', 'history-end', 'index', 'main', 'worker'];

function names(folder: string, ground: string[]): string[] {
  const files = readdirSync(new URL(`../../${folder}/`, import.meta.url));
  return files
    .map((file) => file.replace(/\.ts$/, ''))
    .filter((name) => !ground.includes(name))
    .toSorted();
}

const listed = QUEUES.map((queue) => queue.name).toSorted();

describe('queues and workers', () => {
  it('are listed once each, with one file per queue', () => {
    expect(new Set(listed).size).toBe(listed.length);
    expect(names('queues', NON_QUEUE_FILES)).toEqual(listed);
  });

  it('have one worker file per queue', () => {
    expect(names('workers', NON_WORKER_FILES)).toEqual(listed);
  });

  it('are selected by name, and an unknown name fails with the list of names', () => {
    expect(() => queuesByName(['document-index', 'nope'])).toThrow(
      /nope.*document-index.*reconcile/,
    );
    expect(queuesByName([])).toEqual(QUEUES);
  });

  describe.each(QUEUES)('$name', (queue) => {
    it('has its own worker', async () => {
      expect(existsSync(new URL(`../../workers/${queue.name}.ts`, import.meta.url))).toBe(true);
      const worker = await loadWorker(queue);
      expect(worker.queue).toBe(queue);
    });

    it('has a payload that survives JSON', () => {
      // Throws for dates, big integers and anything else that JSON cannot carry.
      const arriving = z.toJSONSchema(queue.payload, { io: 'input' });
      const parsed = z.toJSONSchema(queue.payload, { io: 'output' });
      // With a transform, the parsed payload would differ from the enqueued one.
      expect({ ...parsed, additionalProperties: null }).toEqual({
        ...arriving,
        additionalProperties: null,
      });
    });

    it('accepts an empty payload when it has a schedule', () => {
      if (queue.everyMs === null) return;
      expect(queue.payload.safeParse({}).success).toBe(true);
    });

    it('has limits', () => {
      expect(queue.attempts).toBeGreaterThanOrEqual(1);
      expect(queue.concurrency).toBeGreaterThanOrEqual(1);
      expect(queue.timeoutMs).toBeGreaterThan(0);
    });
  });
});
