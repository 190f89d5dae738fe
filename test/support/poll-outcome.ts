import { expect } from 'vitest';
import {
  CredentialRejected,
  SourceRefused,
  SourceUnavailable,
} from '#src/connectors/source/source-errors.ts';
import type { ContractSource } from './connector-contract.ts';
import { failuresOf, type PollRun, seenIn } from './run-poll.ts';

const SOURCE_ERRORS = [CredentialRejected, SourceRefused, SourceUnavailable];

/** Shorter values also occur in ordinary words. */
const MIN_SECRET_LENGTH = 6;

/** The poll reached its end, nothing failed, and every document was found. */
export function expectComplete(run: PollRun, source: ContractSource): void {
  expect(run.error).toBeNull();
  expect(failuresOf(run)).toEqual([]);
  expect([...seenIn(run)].toSorted()).toEqual(source.fixture.ids().toSorted());
}

/**
 * Everything unreadable was reported: by an error that ends the run, by failures, or, when the source says that an item
 * is not available to us, by skips with their reasons. Nothing is lost silently.
 */
export function expectFailureReported(run: PollRun, source: ContractSource): void {
  if (run.error !== null) {
    expectSourceError(run.error, source);
    return;
  }
  const seen = seenIn(run);
  const missing = source.fixture.ids().filter((id) => !seen.has(id));
  const failures = failuresOf(run);
  const skipped = run.pages.flatMap((page) => page.skipped);
  if (missing.length > 0) expect([...failures, ...skipped]).not.toEqual([]);
  for (const { reason } of failures) expectWords(reason, source);
  for (const { reason } of skipped) expect(reason.trim()).not.toBe('');
}

/** An error that the engine can handle, with a readable message and without secrets. */
export function expectSourceError(error: unknown, source: ContractSource): void {
  expect(error).toBeInstanceOf(Error);
  if (!SOURCE_ERRORS.some((known) => error instanceof known)) throw error;
  expectWords(error instanceof Error ? error.message : '', source);
}

function expectWords(words: string, { fixture }: ContractSource): void {
  expect(words.trim().split(/\s+/).length).toBeGreaterThanOrEqual(3);
  for (const [name, value] of Object.entries(fixture.credential)) {
    const isSecret = /token|secret|password|_key$/.test(name) && typeof value === 'string';
    if (isSecret && value.length >= MIN_SECRET_LENGTH) expect(words).not.toContain(value);
  }
}
