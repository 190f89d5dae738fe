import type { BenchOptions } from './bench-options.ts';
export async function search(_options: BenchOptions): Promise<void> {}
