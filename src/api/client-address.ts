import type { IncomingMessage } from 'node:http';
import { isIP } from 'node:net';
import { isOpened, parseRanges } from '#src/platform/vet-address.ts';

/** The address of the client of a request, which limits of attempts are counted by. */
export type FindClientAddress = (request: IncomingMessage) => string;

/**
 * The peer of the connection; behind proxies of `trusted` ranges, the last address of `X-Forwarded-For` that is no such
 * proxy. Addresses further left may be invented by the client.
 */
export function createFindClientAddress(trusted: readonly string[]): FindClientAddress {
  const ranges = parseRanges(trusted);
  return (request) => {
    const chain = String(request.headers['x-forwarded-for'] ?? '').split(',');
    let address = plain(request.socket.remoteAddress ?? '');
    while (isOpened(address, ranges)) {
      const next = plain(chain.pop()?.trim() ?? '');
      if (isIP(next) === 0) break;
      address = next;
    }
    return address;
  };
}

/** IPv4 as such: sockets that listen for both show `::ffff:192.0.2.1`. */
function plain(address: string): string {
  const mapped = /^::ffff:(\d+\.\d+\.\d+\.\d+)$/i.exec(address)?.[1];
  return mapped ?? address;
}
