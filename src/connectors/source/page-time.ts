/** A page is saved after about this long, even if nearly empty, so that a run's turn at a worker is bounded. */
export const PAGE_TIME_MS = 60_000;

export interface PageTime {
  isOver(): boolean;
}

export function startPageTime(clock: () => Date, ms: number = PAGE_TIME_MS): PageTime {
  const endsMs = clock().getTime() + ms;
  return { isOver: () => clock().getTime() >= endsMs };
}
