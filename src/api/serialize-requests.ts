import type { IncomingMessage, ServerResponse } from 'node:http';
import type { Socket } from 'node:net';

/** Requests that may wait in one connection for earlier answers; no client needs this many. */
const MAX_WAITING = 100;

interface Serving {
  begin: (request: IncomingMessage, response: ServerResponse) => void;
  /** Called when the answer is sent or its client has disconnected. */
  end: (request: IncomingMessage) => void;
}

/**
 * Serves the requests of one connection one after another (RFC 9112, 9.3.2). Node passes on all of them at once, and a
 * few kilobytes can contain thousands: that many handlers would run, and their answers would wait in memory. A
 * connection with more than 100 waiting requests is cut off.
 */
export function serializeRequests({ begin, end }: Serving) {
  /** The requests waiting behind the current one, for each connection that has one. */
  const waiting = new WeakMap<Socket, (() => void)[]>();
  return (request: IncomingMessage, response: ServerResponse): void => {
    const { socket } = request;
    const serve = (): void => {
      // The connection has ended, or the previous answer announced its end: no answer could be sent.
      if (!socket.writable || response.socket === null) return;
      response.once('close', () => {
        end(request);
        const next = waiting.get(socket)?.shift();
        if (next === undefined) waiting.delete(socket);
        else next();
      });
      begin(request, response);
    };
    const queue = waiting.get(socket);
    if (queue === undefined) {
      waiting.set(socket, []);
      serve();
    } else if (queue.length < MAX_WAITING) {
      queue.push(serve);
    } else {
      socket.destroy();
    }
  };
}
