import { existsSync, mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import path from 'node:path';
import type { Reporter, TestCase, TestModule, TestSpecification, Vitest } from 'vitest/node';
import { leftBehind, MARKER } from './left-behind.ts';

/** What a title may say that its tests need, `(needs X)`, and whether it is here. `(without X)` is the opposite. */
const NEEDS: Readonly<Record<string, () => boolean>> = {
  TEST_DATABASE_URL: () => Boolean(process.env['TEST_DATABASE_URL']),
  TEST_REDIS_URL: () => Boolean(process.env['TEST_REDIS_URL']),
  TEST_IMAP_URL: () => Boolean(process.env['TEST_IMAP_URL']),
  TEST_SMTP_URL: () => Boolean(process.env['TEST_SMTP_URL']),
  TEST_WEB_URL: () => Boolean(process.env['TEST_WEB_URL']),
  '/usr/bin/chromium': () => existsSync('/usr/bin/chromium'),
  Linux: () => process.platform === 'linux',
  node: () => true,
  python3: () => existsSync('/usr/bin/python3'),
};
const NEED = /\((needs|without) ([^)\s]+)\)/g;

/**
 * What a run must not hide: a filter that matches nothing, a test that is skipped although what it needs is here, and
 * a process that outlives it. Skipped tests are counted by what they need.
 */
export class RunRules implements Reporter {
  #vitest: Vitest | undefined;

  onInit(vitest: Vitest): void {
    this.#vitest = vitest;
    process.env[MARKER] = String(process.pid);
    // Whatever tests and browsers leave in the temporary folder goes with the run.
    const folder = mkdtempSync(path.join(tmpdir(), 'millrace-run-'));
    process.env['TMPDIR'] = folder;
    process.once('exit', () => rmSync(folder, { recursive: true, force: true }));
  }

  onTestRunStart(specifications: readonly TestSpecification[]): void {
    const files = specifications.map(({ moduleId }) => moduleId);
    for (const filter of this.#filters()) {
      if (!files.some((file) => file.includes(filter)))
        this.#fail(`No test file of the chosen projects has "${filter}" in its path.`);
    }
  }

  async onTestRunEnd(modules: readonly TestModule[]): Promise<void> {
    // A file that failed is told of anyway; what its hooks kept from running is no skip.
    const tests = modules
      .filter((module) => module.state() !== 'failed')
      .flatMap((module) => Array.from(module.children.allTests()));
    const pattern = this.#vitest?.config.testNamePattern;
    if (pattern === undefined) this.#countSkipped(tests.filter(isSkipped));
    else if (tests.length > 0 && tests.every(isSkipped))
      this.#fail(`No test has a name that matches ${pattern}.`);
    for (const command of await leftBehind(String(process.pid)))
      this.#fail(`A process was left behind: ${command}`);
  }

  #countSkipped(skipped: readonly TestCase[]): void {
    const counts = new Map<string, number>();
    for (const test of skipped) {
      const unmet = unmetNeed(test);
      if (unmet === undefined)
        this.#fail(`Skipped, and its title does not say what is missing: ${test.fullName}`);
      else counts.set(unmet, (counts.get(unmet) ?? 0) + 1);
    }
    for (const [need, count] of counts)
      this.#vitest?.logger.log(`Skipped: ${count} tests (${need}).`);
  }

  /** The words of the command line that choose files. */
  #filters(): readonly string[] {
    const vitest: object = this.#vitest ?? {};
    // Vitest keeps them to itself, but its reporters print them.
    const filters: unknown = 'filenamePattern' in vitest ? vitest.filenamePattern : [];
    return Array.isArray(filters)
      ? filters.filter((filter): filter is string => typeof filter === 'string')
      : [];
  }

  #fail(sentence: string): void {
    this.#vitest?.logger.error(`run rules: ${sentence}`);
    process.exitCode = 1;
  }
}

function isSkipped(test: TestCase): boolean {
  return test.result().state === 'skipped';
}

/** What the title names that keeps the test from running here. */
function unmetNeed(test: TestCase): string | undefined {
  for (const [, word, need = ''] of test.fullName.matchAll(NEED)) {
    const isHere = NEEDS[need]?.();
    if (isHere === (word === 'without')) return `${word} ${need}`;
  }
  return undefined;
}
