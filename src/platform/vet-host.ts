import { startDeadline, untilAborted } from './deadline.ts';
import { OutboundError, type OutboundGuard } from './outbound.ts';

/** Somebody waits for it. */
const RESOLVE_TIMEOUT_MS = 5_000;

/**
 * Whether a host that a customer names may be reached, as it resolves now; every connection is vetted again.
 * `unresolved`: the name leads nowhere just now, or nobody could be asked in time.
 * @throws the signal's reason
 */
export async function vetHost(
  guard: OutboundGuard,
  host: string,
  signal: AbortSignal,
  reach: 'public' | 'opened' = 'public',
): Promise<'reachable' | 'refused' | 'unresolved'> {
  using deadline = startDeadline(signal, RESOLVE_TIMEOUT_MS);
  try {
    await untilAborted(guard.addressesOf(host, reach), deadline.signal);
    return 'reachable';
  } catch (error) {
    signal.throwIfAborted();
    if (error instanceof OutboundError && error.kind === 'refused') return 'refused';
    if (!deadline.expired && !isUnresolved(error)) throw error;
    return 'unresolved';
  }
}

/** The system's resolver tells by a code (`ENOTFOUND`, `EAI_AGAIN`, …) and the call that failed. */
function isUnresolved(error: unknown): boolean {
  if (error instanceof OutboundError) return error.kind === 'network';
  return error instanceof Error && 'syscall' in error && error.syscall === 'getaddrinfo';
}
