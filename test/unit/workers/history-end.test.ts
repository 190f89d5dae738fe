import { expect, it } from 'vitest';
import { historyEnd } from '#workers/history-end.ts';

const error = new Error('The server refused.');

it.each([
  ['sent', 'done'],
  ['nothing to do', 'done'],
  ['waiting', 'done'],
  ['postponed', 'retried'],
  ['failed', 'failed'],
  ['paused', 'failed'],
  ['unknown', 'failed'],
] as const)('counts a finished job whose row ended as "%s" as %s', (end, counted) => {
  expect(historyEnd({ kind: 'completed', facts: { end } })).toBe(counted);
});

it('counts a completed job without such a fact as done, and others as the queue ended them', () => {
  expect(historyEnd({ kind: 'completed', facts: {} })).toBe('done');
  expect(historyEnd({ kind: 'later', error })).toBe('done');
  expect(historyEnd({ kind: 'retry', error })).toBe('retried');
  expect(historyEnd({ kind: 'gave-up', error })).toBe('failed');
  expect(historyEnd({ kind: 'aborted', error })).toBeNull();
});
