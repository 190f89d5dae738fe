import { availableParallelism } from 'node:os';
import { resolve } from 'node:path';
import { defineConfig } from 'vitest/config';

/** Integration tests start databases and processes of their own; more than two at once starve each other's deadlines. */
const INTEGRATION_WORKERS = 2;
/** Only ends what hangs: how fast something is, no test asserts. */
const TIMEOUT_MS = 300_000;
/** How long a test waits for what is to become true. */
const POLL_MS = 60_000;

// Every test file and every process that a test starts would compile the same packages again.
process.env['NODE_COMPILE_CACHE'] ??= resolve(
  import.meta.dirname,
  '../node_modules/.cache/compiled',
);

export default defineConfig({
  test: {
    root: resolve(import.meta.dirname, '..'),
    reporters: ['default'],
    dangerouslyIgnoreUnhandledErrors: false,
    testTimeout: TIMEOUT_MS,
    hookTimeout: TIMEOUT_MS,
    expect: { poll: { timeout: POLL_MS } },
    projects: [
      {
        extends: true,
        test: {
          name: 'unit',
          include: ['test/unit/**/*.test.ts'],
          maxWorkers: availableParallelism(),
          sequence: { groupOrder: 0 },
        },
      },
      {
        extends: true,
        test: {
          name: 'contracts',
          include: ['test/contracts/**/*.test.ts'],
          maxWorkers: availableParallelism(),
          sequence: { groupOrder: 0 },
        },
      },
      {
        extends: true,
        test: {
          name: 'boundaries',
          include: ['test/boundaries/**/*.test.ts'],
          pool: 'forks',
          maxWorkers: INTEGRATION_WORKERS,
          sequence: { groupOrder: 1 },
        },
      },
      {
        extends: true,
        test: {
          name: 'integration',
          include: ['test/integration/**/*.test.ts'],
          globalSetup: 'test/support/database-template.ts',
          pool: 'forks',
          maxWorkers: INTEGRATION_WORKERS,
          // After the others: projects with different worker limits may not share a group.
          sequence: { groupOrder: 1 },
        },
      },
    ],
  },
});
