import { existsSync, mkdtempSync, readFileSync, rmSync, statfsSync } from 'node:fs';
import { tmpdir } from 'node:os';
import path from 'node:path';
import type { Reporter, TestCase, TestModule, TestSpecification, Vitest } from 'vitest/node';
import { postgresBinaries } from './postgres-servers.ts';
import { findLeftoverProcesses, MARKER } from './leftover-processes.ts';

/**
 * The requirements that a test title may state as `(needs X)`, and whether each is met. `(without X)` is the opposite.
 */
const NEEDS: Readonly<Record<string, () => boolean>> = {
  TEST_DATABASE_URL: () => Boolean(process.env['TEST_DATABASE_URL']),
  TEST_REDIS_URL: () => Boolean(process.env['TEST_REDIS_URL']),
  TEST_IMAP_URL: () => Boolean(process.env['TEST_IMAP_URL']),
  TEST_EXIM_URL: () => Boolean(process.env['TEST_EXIM_URL']),
  TEST_SMTP_URL: () => Boolean(process.env['TEST_SMTP_URL']),
  TEST_WEB_URL: () => Boolean(process.env['TEST_WEB_URL']),
  '/usr/lib/postgresql': () => postgresBinaries !== null,
  '/usr/bin/redis-server': () => existsSync('/usr/bin/redis-server'),
  '/usr/sbin/pgbouncer': () => existsSync('/usr/sbin/pgbouncer'),
  '/usr/bin/chromium': () => existsSync('/usr/bin/chromium'),
  Linux: () => process.platform === 'linux',
  node: () => true,
  python3: () => existsSync('/usr/bin/python3'),
};
const NEED = /\((needs|without) ([^)\s]+)\)/g;

/** The files of a run take some hundred megabytes at a time. */
const ENOUGH_BYTES = 4e9;

/**
 * In memory if there is plenty: a test's embedded database has 1,500 files, which take ten times the processor time to
 * write on a disk.
 */
function scratchPlace(): string {
  const memory = '/dev/shm';
  if (process.platform !== 'linux' || process.env['TMPDIR'] || !existsSync(memory)) return tmpdir();
  const { bavail, bsize } = statfsSync(memory);
  const [, kilobytes] =
    /^MemAvailable: +(\d+) kB$/m.exec(readFileSync('/proc/meminfo', 'utf8')) ?? [];
  const bytes = Math.min(bavail * bsize, Number(kilobytes ?? 0) * 1024 - ENOUGH_BYTES);
  return bytes > ENOUGH_BYTES ? memory : tmpdir();
}

/**
 * Failures that a run must not hide: a filter that matches nothing, a test that is skipped although its requirement is
 * met, and a process that outlives the run. Skipped tests are counted by requirement.
 */
export class RunRules implements Reporter {
  #vitest: Vitest | undefined;

  onInit(vitest: Vitest): void {
    this.#vitest = vitest;
    process.env[MARKER] = String(process.pid);
    // Temporary files of tests and browsers are removed after the run.
    const folder = mkdtempSync(path.join(scratchPlace(), 'millrace-run-'));
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
    // A failed file is reported anyway; tests that its hooks kept from running are not skips.
    const tests = modules
      .filter((module) => module.state() !== 'failed')
      .flatMap((module) => Array.from(module.children.allTests()));
    const pattern = this.#vitest?.config.testNamePattern;
    if (pattern === undefined) this.#countSkipped(tests.filter(isSkipped));
    else if (tests.length > 0 && tests.every(isSkipped))
      this.#fail(`No test has a name that matches ${pattern}.`);
    for (const command of await findLeftoverProcesses(String(process.pid)))
      this.#fail(`A process was left behind: ${command}`);
  }

  #countSkipped(skipped: readonly TestCase[]): void {
    const counts = new Map<string, number>();
    for (const test of skipped) {
      const unmet = unmetNeed(test);
      if (unmet === undefined)
        this.#fail(`Skipped, but its title does not say what is missing: ${test.fullName}`);
      else counts.set(unmet, (counts.get(unmet) ?? 0) + 1);
    }
    for (const [need, count] of counts)
      this.#vitest?.logger.log(`Skipped: ${count} tests (${need}).`);
  }

  /** The arguments of the command line that select files. */
  #filters(): readonly string[] {
    const vitest: object = this.#vitest ?? {};
    // This is private in Vitest, but its reporters print it.
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

/** The unmet requirement in the title of a skipped test. */
function unmetNeed(test: TestCase): string | undefined {
  for (const [, word, need = ''] of test.fullName.matchAll(NEED)) {
    const isHere = NEEDS[need]?.();
    if (isHere === (word === 'without')) return `${word} ${need}`;
  }
  return undefined;
}
