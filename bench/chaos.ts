import { LONG } from '#test/support/chaos/chaos-script.ts';
import { runChaos } from '#test/support/chaos/run-chaos.ts';
import type { BenchOptions } from './bench-options.ts';

const SEEDS = 5;

/**
 * Runs seeded scripts of faults against processes of the service, Postgres and Redis, and prints what was lost. The
 * embedded size with `--size embedded`.
 * @throws when something was lost, doubled or wrong
 */
export async function chaos({ seed, seeds, size }: BenchOptions): Promise<void> {
  const first = seed ?? 1;
  console.log(`chaos: ${size}, seeds ${first} to ${first + (seeds ?? SEEDS) - 1}`);
  const failed: number[] = [];
  for (let next = first; next < first + (seeds ?? SEEDS); next += 1) {
    const { faults, violations, ...figures } = await runChaos(next, size, LONG);
    const numbers = Object.entries(figures).map(([name, value]) => `${name} ${value}`);
    console.log(
      `seed ${next}: ${violations.length === 0 ? 'passed' : 'FAILED'}, ${numbers.join(', ')}`,
    );
    console.log(`  ${faults.join(', ')}`);
    for (const violation of violations) console.log(`  ${violation}`);
    if (violations.length > 0) failed.push(next);
  }
  if (failed.length > 0) throw new Error(`Seeds that failed: ${failed.join(', ')}`);
}
