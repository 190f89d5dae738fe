const SECOND = 1_000;
const MINUTE = 60 * SECOND;
const HOUR = 60 * MINUTE;
const DAY = 24 * HOUR;

/** This many consecutive failures open the circuit breaker (Nygard, Release It!, 2nd ed., ch. 5). */
const FAILURES_TO_OPEN = 10;
const FIRST_OPEN_MS = 5 * SECOND;
const LONGEST_OPEN_MS = 5 * MINUTE;

/** An endpoint that has failed this long and this often, spread over this much time, is disabled. */
const DISABLE_AFTER_MS = 5 * DAY;
const DISABLE_FAILURES = 10;

/** A healthy endpoint's success is written to its row at most this often. */
const SUCCESS_NOTED_EVERY_MS = 5 * SECOND;

/** How recent deliveries to an endpoint went. */
export interface EndpointHealth {
  /** The first failure since the last success. */
  failingSince: Date | null;
  lastSuccessAt: Date | null;
  lastFailureAt: Date | null;
  /** Since the last success. */
  failures: number;
  /** How often the breaker has opened since the last success. */
  breakerTrips: number;
  /** Open until then, half-open afterwards: one delivery probes. Null while the breaker is closed. */
  breakerUntil: Date | null;
}

/** @returns the health after a success, or null when nothing is worth a write */
export function afterSuccess(health: EndpointHealth, now: Date): EndpointHealth | null {
  const { failingSince, lastSuccessAt, breakerUntil } = health;
  const isNews = failingSince !== null || breakerUntil !== null || lastSuccessAt === null;
  if (!isNews && now.getTime() - lastSuccessAt.getTime() < SUCCESS_NOTED_EVERY_MS) return null;
  return {
    ...health,
    failingSince: null,
    lastSuccessAt: now,
    failures: 0,
    breakerTrips: 0,
    breakerUntil: null,
  };
}

/**
 * The health after a failure. The breaker opens for 5 s, then twice as long for each failed probe, up to 5 minutes,
 * plus up to a fifth as jitter.
 * @param random in [0, 1)
 */
export function afterFailure(health: EndpointHealth, now: Date, random: number): EndpointHealth {
  const failures = health.failures + 1;
  const failed = {
    ...health,
    failingSince: health.failingSince ?? now,
    lastFailureAt: now,
    failures,
  };
  // Attempts already in progress when the breaker opened tell nothing new.
  if (isOpen(health, now) || failures < FAILURES_TO_OPEN) return failed;
  const openMs = Math.min(FIRST_OPEN_MS * 2 ** health.breakerTrips, LONGEST_OPEN_MS);
  return {
    ...failed,
    breakerTrips: health.breakerTrips + 1,
    breakerUntil: new Date(now.getTime() + openMs * (1 + random / 5)),
  };
}

export function isOpen({ breakerUntil }: EndpointHealth, now: Date): boolean {
  return breakerUntil !== null && breakerUntil > now;
}

/** Whether an endpoint has failed so long and so often that it should be disabled. */
export function shouldDisable({ failingSince, failures }: EndpointHealth, now: Date): boolean {
  return (
    failingSince !== null &&
    failures >= DISABLE_FAILURES &&
    now.getTime() - failingSince.getTime() >= DISABLE_AFTER_MS
  );
}
