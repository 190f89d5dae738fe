import type { IncomingMessage, ServerResponse } from 'node:http';
import type { Socket } from 'node:net';

/** Requests that may wait in one connection for the answers before theirs; no client needs so many. */
const MAX_WAITING = 100;

interface Serving {
  begin: (request: IncomingMessage, response: ServerResponse) => void;
  /** When the answer is out or its client gone. */
  end: (request: IncomingMessage) => void;
}

/**
 * Serves the requests of one connection one after the other (RFC 9112, 9.3.2). Node hands all of them over at once,
 * and a few kilobytes hold thousands: as many handlers would run, and their answers wait in memory for their turn.
 * A connection in which more than 100 wait is cut off.
 */
export function serveInTurn({ begin, end }: Serving) {
  /** What waits behind the request that is being served, for each connection with one. */
  const waiting = new WeakMap<Socket, (() => void)[]>();
  return (request: IncomingMessage, response: ServerResponse): void => {
    const { socket } = request;
    const serve = (): void => {
      // The connection has ended, or the answer before has said that it will: no answer could be sent.
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
