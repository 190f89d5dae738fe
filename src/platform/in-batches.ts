/**
 * Runs a statement that takes at most `batch` rows, until it takes fewer.
 * @returns how many rows were taken
 * @throws the signal's reason, between two batches
 */
export async function inBatches(
  batch: number,
  signal: AbortSignal,
  takeSome: () => Promise<{ rows: readonly unknown[] }>,
): Promise<number> {
  for (let taken = 0; ;) {
    signal.throwIfAborted();
    const { rows } = await takeSome();
    taken += rows.length;
    if (rows.length < batch) return taken;
  }
}
