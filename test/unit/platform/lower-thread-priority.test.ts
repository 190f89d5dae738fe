import { getPriority } from 'node:os';
import { Worker } from 'node:worker_threads';
import { expect, it } from 'vitest';

it.runIf(process.platform === 'linux')('lowers the priority of its own thread alone', async () => {
  const before = getPriority();
  const source = `
    const { readlinkSync } = require('node:fs');
    const { getPriority } = require('node:os');
    const { parentPort } = require('node:worker_threads');
    import(${JSON.stringify(new URL('../../../src/platform/lower-thread-priority.ts', import.meta.url).href)})
      .then(({ lowerThreadPriority }) => {
        lowerThreadPriority(${before + 5});
        const thread = Number(readlinkSync('/proc/thread-self').split('/').at(-1));
        parentPort.postMessage(getPriority(thread));
      });`;
  const worker = new Worker(source, { eval: true });
  const priority = await new Promise((resolve, reject) => {
    worker.once('message', resolve).once('error', reject);
  });
  await worker.terminate();
  expect(priority).toBe(before + 5);
  expect(getPriority()).toBe(before);
});
