import type { IncomingMessage } from 'node:http';
import { expect, it } from 'vitest';
import { createFindClientAddress } from '#src/api/client-address.ts';

/** The parts of a request that matter here. */
const request = (remoteAddress: string, forwarded?: string) =>
  ({
    socket: { remoteAddress },
    headers: { 'x-forwarded-for': forwarded },
  }) as unknown as IncomingMessage;

it.each([
  ['of the connection, whatever a stranger says', '203.0.113.7', '192.0.2.1', '203.0.113.7'],
  ['that the proxy saw', '10.0.0.2', '192.0.2.1', '192.0.2.1'],
  ['that the first of two proxies saw', '10.0.0.2', '192.0.2.1, 10.0.0.3', '192.0.2.1'],
  ['and not what the client invented', '10.0.0.2', '198.51.100.1, 192.0.2.1', '192.0.2.1'],
  ['of the proxy when it says nothing', '10.0.0.2', undefined, '10.0.0.2'],
  ['of the proxy when it says nonsense', '10.0.0.2', 'unknown', '10.0.0.2'],
  ['as IPv4 on a socket for both', '::ffff:203.0.113.7', undefined, '203.0.113.7'],
  ['of IPv6', '::ffff:10.0.0.2', '2001:db8::1', '2001:db8::1'],
])('the address of a client is the one %s', (_, remote, forwarded, found) => {
  const find = createFindClientAddress(['10.0.0.0/8']);
  expect(find(request(remote, forwarded))).toBe(found);
});
