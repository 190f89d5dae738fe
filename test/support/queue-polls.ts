import type { Queue } from 'bullmq';
import { expect } from 'vitest';
import type { Producer } from '#queues/producer.ts';

export function queueOf(producer: Producer, { name }: { name: string }): Queue {
  const queue = producer.openQueues().find((candidate) => candidate.name === name);
  if (!queue) throw new Error(`No queue is named ${name}.`);
  return queue;
}

export async function failedJobs(producer: Producer, queue: { name: string }): Promise<number> {
  return (await queueOf(producer, queue).getJobCounts())['failed'] ?? 0;
}

/** The failed jobs, latest first, once there are `count`. */
export async function untilFailed(producer: Producer, queue: { name: string }, count: number) {
  await expect.poll(async () => failedJobs(producer, queue)).toBe(count);
  return queueOf(producer, queue).getFailed();
}

export async function untilIdle(producer: Producer, queue: { name: string }): Promise<void> {
  await expect
    .poll(async () => {
      const counts = await queueOf(producer, queue).getJobCounts();
      return (counts['waiting'] ?? 0) + (counts['active'] ?? 0) + (counts['delayed'] ?? 0);
    })
    .toBe(0);
}

export async function succeeds(work: Promise<unknown>): Promise<boolean> {
  return work.then(
    () => true,
    () => false,
  );
}

export async function untilAborted(signal: AbortSignal): Promise<void> {
  await new Promise((resolve) => signal.addEventListener('abort', resolve, { once: true }));
}
