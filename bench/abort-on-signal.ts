/** Runs `work` with a signal that SIGINT and SIGTERM abort, so that what it started is stopped when a run is cut. */
export async function abortOnSignal<T>(work: (signal: AbortSignal) => Promise<T>): Promise<T> {
  const stopping = new AbortController();
  const stop = (name: NodeJS.Signals) => stopping.abort(new Error(`Cut by ${name}.`));
  process.once('SIGINT', stop).once('SIGTERM', stop);
  try {
    return await work(stopping.signal);
  } finally {
    process.off('SIGINT', stop).off('SIGTERM', stop);
  }
}
