import { connect, type Socket } from 'node:net';

/** A name with more addresses than this is not a mail server's, and each address would take a share of the time. */
const MAX_ADDRESSES = 4;

/**
 * Connects to the first address that accepts a connection. The remaining time is divided equally among the remaining
 * addresses.
 * @throws the last address's error, with the system's code (`ETIMEDOUT` when time ran out), or the signal's reason
 */
export async function dial(
  addresses: readonly string[],
  port: number,
  { timeoutMs, signal }: { timeoutMs: number; signal: AbortSignal },
): Promise<{ socket: Socket; address: string }> {
  const endsAtMs = performance.now() + timeoutMs;
  const candidates = addresses.slice(0, MAX_ADDRESSES);
  let failure: unknown = new Error('There is no address to connect to.');
  for (const [index, address] of candidates.entries()) {
    const share = (endsAtMs - performance.now()) / (candidates.length - index);
    try {
      return { socket: await dialOne(address, port, share, signal), address };
    } catch (error) {
      signal.throwIfAborted();
      failure = error;
    }
  }
  throw failure;
}

async function dialOne(
  address: string,
  port: number,
  timeoutMs: number,
  signal: AbortSignal,
): Promise<Socket> {
  signal.throwIfAborted();
  const socket = connect({ host: address, port, noDelay: true });
  const { promise, resolve, reject } = Promise.withResolvers<Socket>();
  const onAbort = (): void => reject(signal.reason as Error);
  const timer = setTimeout(
    () => reject(Object.assign(new Error('No connection in time.'), { code: 'ETIMEDOUT' })),
    Math.max(timeoutMs, 1),
  );
  signal.addEventListener('abort', onAbort, { once: true });
  socket.once('connect', () => resolve(socket));
  // Not removed: an error after the hand-over is reported when the connection ends.
  socket.on('error', reject);
  try {
    return await promise;
  } catch (error) {
    socket.destroy();
    throw error;
  } finally {
    clearTimeout(timer);
    signal.removeEventListener('abort', onAbort);
  }
}
