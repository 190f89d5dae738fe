import { Problem } from '#src/platform/errors.ts';
import type { OutboundGuard } from '#src/platform/outbound.ts';
import { vetHost } from '#src/platform/vet-host.ts';
import type { Operation } from './operation.ts';

const MAX_HOSTS = 10;

/**
 * Checks the hosts of a document before it is saved; every connection is checked again. A name that does not resolve at
 * the moment is accepted: calls will find out.
 * @throws Problem BAD_REQUEST that names the host
 */
export async function vetServers(
  guard: OutboundGuard,
  operations: readonly Operation[],
  signal: AbortSignal,
): Promise<void> {
  const hosts = new Set(operations.map(({ baseUrl }) => new URL(baseUrl).hostname));
  if (hosts.size > MAX_HOSTS) {
    throw new Problem(
      'BAD_REQUEST',
      `body.definition.servers: names more than ${MAX_HOSTS} hosts. Make several tools.`,
    );
  }
  await Promise.all(
    [...hosts].map(async (host) => {
      if ((await vetHost(guard, host, signal)) === 'refused')
        throw unreachable('definition.servers', host);
    }),
  );
}

export function unreachable(field: string, host: string): Problem {
  return new Problem(
    'BAD_REQUEST',
    `body.${field}: ${host} cannot be reached from here. Only public addresses can be, and those that the operator has opened with OUTBOUND_ALLOW_CIDRS.`,
  );
}
