import { subscribe, unsubscribe } from 'node:diagnostics_channel';
import { OutboundError } from '#src/platform/http.ts';

/** Undici's message about a connection attempt. */
interface ConnectionNews {
  connectParams: { hostname: string };
  error?: unknown;
}

export interface WatchedConnections extends Disposable {
  /** Refused by the guard, before anything went over the network. */
  readonly refused: string[];
  /** Made, or at least attempted. */
  readonly tried: string[];
}

/**
 * Watches to which hosts connections are made in this thread, other than to this machine.
 * https://github.com/nodejs/undici/blob/main/docs/docs/api/DiagnosticsChannel.md
 */
export function watchConnections(): WatchedConnections {
  const refused: string[] = [];
  const tried: string[] = [];
  const note = (message: unknown): void => {
    // Undici documents the message of this channel.
    const { connectParams, error } = message as ConnectionNews;
    const isRefused = error instanceof OutboundError && error.kind === 'refused';
    if (connectParams.hostname === '127.0.0.1') return;
    (isRefused ? refused : tried).push(connectParams.hostname);
  };
  const channels = ['undici:client:connected', 'undici:client:connectError'];
  for (const channel of channels) subscribe(channel, note);
  return {
    refused,
    tried,
    [Symbol.dispose]() {
      for (const channel of channels) unsubscribe(channel, note);
    },
  };
}
