import { startDeadline, untilAborted } from './deadline.ts';
import { OutboundError, type OutboundGuard } from './outbound.ts';

/** Short, because a user is waiting. */
const RESOLVE_TIMEOUT_MS = 5_000;

/**
 * Whether a customer-named host may be reached, as it resolves now; every connection is vetted again. `unresolved`: the
 * name does not resolve now, or no name server answered in time.
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

/** Errors of the system's resolver have a code (`ENOTFOUND`, `EAI_AGAIN`, …) and the failed call. */
function isUnresolved(error: unknown): boolean {
  if (error instanceof OutboundError) return error.kind === 'network';
  return error instanceof Error && 'syscall' in error && error.syscall === 'getaddrinfo';
}
