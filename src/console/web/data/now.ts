import { signal } from '@preact/signals';

/** The time as the pages show it: every ten seconds, and not while nobody looks. */
export const now = signal(Date.now());

const EVERY_MS = 10_000;

export function startClock(): void {
  const tick = (): void => {
    if (document.visibilityState === 'visible') now.value = Date.now();
  };
  setInterval(tick, EVERY_MS);
  document.addEventListener('visibilitychange', tick);
}
