import { Problem } from '#src/platform/errors.ts';
import { OutboundError, type OutboundGuard } from '#src/platform/outbound.ts';
import { callableUrl } from '#src/platform/outbound-hop.ts';
import { vetHost } from '#src/platform/vet-host.ts';

export const MAX_URL_LENGTH = 2_000;

/**
 * Vets an endpoint's URL when it is saved; every connection is vetted again. The message about an unreachable host is
 * the same whatever the host resolves to. A name that does not resolve now is accepted: the DNS may be unavailable or
 * the receiver not set up yet, and the attempts will tell.
 * @returns the URL as it will be called
 * @throws Problem BAD_REQUEST saying what is wrong with it
 */
export async function vetEndpointUrl(
  guard: OutboundGuard,
  text: string,
  signal: AbortSignal,
): Promise<string> {
  const url = readUrl(text);
  const host = url.hostname;
  refuseUncallable(url);
  const reach = url.protocol === 'http:' ? 'opened' : 'public';
  const vetted = await vetHost(guard, host, signal, reach);
  // Plain HTTP is only for opened ranges, so the address must be known.
  if (vetted === 'refused' || (vetted === 'unresolved' && reach === 'opened')) {
    throw refusal(host, reach);
  }
  return url.href;
}

/**
 * The parser repairs much (blanks, backslashes, missing slashes): whatever it would repair is a mistake and is
 * rejected.
 */
function readUrl(text: string): URL {
  if (!/^https?:\/\/[^\s\p{Cc}\p{Cs}\\/][^\s\p{Cc}\p{Cs}\\]*$/iu.test(text)) {
    throw wrongUrl('must be a URL that starts with https:// and contains no blanks or backslashes');
  }
  const url = URL.parse(text);
  if (url === null) throw wrongUrl('is not a URL. Check its host and its port');
  // An empty user name is also a mistake, but leaves no trace in the parsed URL.
  if (/^[^/?#]*@/.test(text.slice(text.indexOf('//') + 2))) {
    throw wrongUrl('must not hold a user name or a password: the signature proves who calls');
  }
  if (text.includes('#')) throw wrongUrl('must not have a fragment (#…): it is never sent');
  if (url.href.length > MAX_URL_LENGTH) {
    throw wrongUrl(`must have at most ${MAX_URL_LENGTH} characters in its encoded form`);
  }
  return url;
}

/** Rejects what every attempt would reject: a port of another protocol. */
function refuseUncallable(url: URL): void {
  try {
    callableUrl(new URL(url));
  } catch (error) {
    if (error instanceof OutboundError)
      throw wrongUrl(`cannot be called. ${error.message}`.replace(/\.$/, ''));
    throw error;
  }
}

function refusal(host: string, reach: 'public' | 'opened'): Problem {
  return reach === 'opened'
    ? wrongUrl(
        'http:// is only for addresses that the operator has opened with OUTBOUND_ALLOW_CIDRS. Use https://',
      )
    : wrongUrl(
        `${host} cannot be reached from here. Only public addresses can be, and those that the operator has opened with OUTBOUND_ALLOW_CIDRS`,
      );
}

function wrongUrl(sentence: string): Problem {
  return new Problem('BAD_REQUEST', `body.url: ${sentence}.`);
}
