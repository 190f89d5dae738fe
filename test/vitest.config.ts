import { availableParallelism } from 'node:os';
import { resolve } from 'node:path';
import { defineConfig } from 'vitest/config';
import { filesWith, MARKS } from './support/marked-files.ts';
import { RunRules } from './support/run-rules.ts';

/** Tests that start processes of their own say more themselves. */
const TIMEOUT_MS = 60_000;
/** How long a test waits for what is to become true. */
const POLL_MS = 20_000;

// Every test file and every process that a test starts would compile the same packages again.
process.env['NODE_COMPILE_CACHE'] ??= resolve(
  import.meta.dirname,
  '../node_modules/.cache/compiled',
);

const smoke = filesWith('test/integration', 'smoke');
const peers = filesWith('test/integration', 'peers');
const volume = filesWith('test/contracts', 'volume');
const {
  TEST_DATABASE_URL: databaseUrl,
  TEST_REDIS_URL: redisUrl,
  /** A file for the results as JSON, besides what is printed. */
  TEST_REPORT: report,
} = process.env;

/** Files that run beside each other in the same processes, one after the other in each. */
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
      // Most of a file's time would be the imports of the product, again for every file.
      isolate: false,
      maxWorkers: availableParallelism(),
      sequence: { groupOrder },
    },
  };
}

const withDatabase = { globalSetup: 'test/support/database-template.ts', groupOrder: 1 };

export default defineConfig({
  test: {
    root: resolve(import.meta.dirname, '..'),
    reporters: [
      'default',
      new RunRules(),
      ...(report === undefined ? [] : [['json', { outputFile: report }] as ['json', object]]),
    ],
    dangerouslyIgnoreUnhandledErrors: false,
    tags: MARKS,
    testTimeout: TIMEOUT_MS,
    hookTimeout: TIMEOUT_MS,
    expect: { poll: { timeout: POLL_MS } },
    projects: [
      project('unit', { include: ['test/unit/**/*.test.ts'] }),
      project('contracts', { include: ['test/contracts/**/*.test.ts'], exclude: volume }),
      project('volume', { include: volume }),
      project('boundaries', { include: ['test/boundaries/**/*.test.ts'] }, { groupOrder: 1 }),
      project('smoke', { include: smoke }, withDatabase),
      project(
        'integration',
        { include: ['test/integration/**/*.test.ts'], exclude: [...smoke, ...peers] },
        withDatabase,
      ),
      project('peers', { include: peers }, withDatabase),
      ...(databaseUrl === undefined
        ? []
        : [
            project(
              'sizes',
              {
                include: filesWith(
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
