/**
 * Applies each mutant to a copy of the repository and runs the tests that should detect it.
 *
 *   npm run mutate                    all of them
 *   npm run mutate -- prune limits    those with one of these words in fault or file
 *   npm run mutate -- --list          prints them without running
 *
 * Prints the share that was killed. Exits with 1 when a mutant no longer fits the code, when the tests fail without a
 * mutant, or when fewer than 90 % are killed. Mutants whose server is not configured are skipped and listed.
 */
import { findMisfits } from './find-misfits.ts';
import type { Mutant } from './mutant.ts';
import { mutants } from './mutants.ts';
import { copyRepository, type RepositoryCopy, ROOT } from './repository-copy.ts';

const AIM = 0.9;
/** A mutant may make a test hang; a timeout counts as a kill. */
const MUTANT_TIMEOUT_MS = 180_000;
const GREEN_TIMEOUT_MS = 1_800_000;
/** Copies tested in parallel. */
const COPIES = 2;

const OUTCOMES = {
  passed: 'SURVIVED',
  failed: 'killed',
  'timed out': 'killed, by time',
} as const;

const words = process.argv.slice(2).filter((word) => word !== '--list');
const chosen = mutants.filter(
  ({ fault, file }) =>
    words.length === 0 || words.some((word) => `${fault} ${file}`.includes(word)),
);
if (process.argv.includes('--list')) list(chosen);
else await run(chosen);

async function run(all: readonly Mutant[]): Promise<void> {
  const misfits = await findMisfits(all, ROOT);
  if (misfits.length > 0) throw new Error(`Change these mutants:\n${misfits.join('\n')}`);
  const runnable = all.filter(({ needs }) => !needs || process.env[needs]);
  for (const { fault, needs } of all.filter((mutant) => !runnable.includes(mutant)))
    say(`left out (needs ${needs}): ${fault}`);
  if (runnable.length === 0) throw new Error('No mutants are left to run.');

  await using opened = new AsyncDisposableStack();
  const copies: RepositoryCopy[] = [];
  for (let n = 0; n < COPIES; n += 1) copies.push(opened.use(await copyRepository()));
  await expectGreen(copies, runnable);
  const survivors = await tryAll(copies, runnable);

  const killed = runnable.length - survivors.length;
  const share = killed / runnable.length;
  for (const { fault, file } of survivors) say(`survivor: ${fault} (${file})`);
  say(
    `${killed} of ${runnable.length} killed (${(share * 100).toFixed(1)} %), ${all.length - runnable.length} left out.`,
  );
  if (share < AIM) process.exitCode = 1;
}

/** A test that fails without a mutant would seem to kill every one. */
async function expectGreen(
  [copy]: readonly RepositoryCopy[],
  runnable: readonly Mutant[],
): Promise<void> {
  const files = [...new Set(runnable.flatMap(({ tests }) => tests))];
  say(`without a mutant: ${files.length} test files`);
  const run = await copy?.runTests(files, GREEN_TIMEOUT_MS);
  if (run?.result === 'passed') return;
  throw new Error(`The tests fail without a mutant:\n${run?.output.slice(-4_000)}`);
}

/** @returns the mutants that no test detected */
async function tryAll(
  copies: readonly RepositoryCopy[],
  runnable: readonly Mutant[],
): Promise<Mutant[]> {
  const survivors: Mutant[] = [];
  const queue = [...runnable.entries()];
  await Promise.all(
    copies.map(async (copy) => {
      for (let next = queue.shift(); next !== undefined; next = queue.shift()) {
        const [index, mutant] = next;
        const startedMs = performance.now();
        const { result } = await copy.tryMutant(mutant, MUTANT_TIMEOUT_MS);
        const seconds = Math.round((performance.now() - startedMs) / 1_000);
        if (result === 'passed') survivors.push(mutant);
        say(
          `${index + 1}/${runnable.length} ${OUTCOMES[result]} (${seconds} s): ${mutant.fault} (${mutant.file})`,
        );
      }
    }),
  );
  return survivors;
}

function list(all: readonly Mutant[]): void {
  for (const { fault, file, needs } of all)
    say(`${file}: ${fault}${needs === undefined ? '' : ` (needs ${needs})`}`);
}

function say(line: string): void {
  process.stdout.write(`${line}\n`);
}
