import { availableParallelism } from 'node:os';
import { resolve } from 'node:path';
import { defineConfig } from 'vitest/config';
import { filesTagged, TAGS } from './support/tagged-files.ts';
import { LongestFirst } from './support/longest-first.ts';
import { RunRules } from './support/run-rules.ts';

/** Tests that start their own processes set a longer timeout. */
const TIMEOUT_MS = 60_000;
/** How long a test polls for a condition. */
const POLL_MS = 20_000;

/** A fifth of the time is waiting, so one more than cores: 168 s instead of 191 s. CI has two lanes that fill each other's gaps. */
const MAX_WORKERS = availableParallelism() + (process.env['CI'] === undefined ? 1 : 0);

// Without this, every test file and every child process would compile the same packages again.
process.env['NODE_COMPILE_CACHE'] ??= resolve(
  import.meta.dirname,
  '../node_modules/.cache/compiled',
);

const smoke = filesTagged('test/integration', 'smoke');
const peers = filesTagged('test/integration', 'peers');
const volume = filesTagged('test/contracts', 'volume');
const {
  TEST_DATABASE_URL: databaseUrl,
  TEST_REDIS_URL: redisUrl,
  /** File for the results as JSON, in addition to the printed ones. */
  TEST_REPORT: report,
} = process.env;

/** Files run in parallel in several processes, one after the other within each. */
function project(
  name: string,
  files: { include: string[]; exclude?: string[] },
  more: { globalSetup?: string; groupOrder?: number } = {},
) {
  const { globalSetup, groupOrder = 0 } = more;
  return {
    extends: true as const,
    test: {
      name,
      ...files,
      ...(globalSetup === undefined ? {} : { globalSetup }),
      pool: 'forks' as const,
      // Otherwise most of a file's time would go into importing the product again.
      isolate: false,
      maxWorkers: MAX_WORKERS,
      sequence: { groupOrder },
    },
  };
}

const afterUnits = { groupOrder: 1 };
const withDatabase = { globalSetup: 'test/support/database-template.ts', ...afterUnits };

export default defineConfig({
  test: {
    root: resolve(import.meta.dirname, '..'),
    reporters: [
      'default',
      new RunRules(),
      ...(report === undefined ? [] : [['json', { outputFile: report }] as ['json', object]]),
    ],
    dangerouslyIgnoreUnhandledErrors: false,
    tags: TAGS,
    sequence: { sequencer: LongestFirst },
    testTimeout: TIMEOUT_MS,
    hookTimeout: TIMEOUT_MS,
    expect: { poll: { timeout: POLL_MS } },
    projects: [
      project('unit', { include: ['test/unit/**/*.test.ts'] }),
      project('contracts', { include: ['test/contracts/**/*.test.ts'], exclude: volume }),
      project('volume', { include: volume }, afterUnits),
      project('boundaries', { include: ['test/boundaries/**/*.test.ts'] }, afterUnits),
      project('smoke', { include: smoke }, withDatabase),
      project(
        'integration',
        { include: ['test/integration/**/*.test.ts'], exclude: [...smoke, ...peers] },
        withDatabase,
      ),
      project('browser', { include: ['test/browser/**/*.test.ts'] }, withDatabase),
      project('peers', { include: peers }, withDatabase),
      ...(databaseUrl === undefined
        ? []
        : [
            project(
              'sizes',
              {
                include: filesTagged(
                  'test/integration',
                  'queues',
                  ...(redisUrl === undefined ? [] : (['database', 'smoke'] as const)),
                ),
              },
              withDatabase,
            ),
          ]),
    ],
  },
});
