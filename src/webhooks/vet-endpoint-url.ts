import { Problem } from '#src/platform/errors.ts';
import { OutboundError, type OutboundGuard } from '#src/platform/outbound.ts';
import { callableUrl } from '#src/platform/outbound-hop.ts';
import { vetHost } from '#src/platform/vet-host.ts';

export const MAX_URL_LENGTH = 2_000;

/**
 * Vets the URL of an endpoint as it is saved; every connection is vetted again. What is said of a host that may not be
 * reached is the same whatever it resolves to. A name that does not resolve just now is taken: the DNS may be away, or
 * the receiver not be set up yet, and the attempts will tell.
 * @returns the URL as it will be called
 * @throws Problem BAD_REQUEST that says what is wrong with it
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
  // What plain HTTP may reach must be known.
  if (vetted === 'refused' || (vetted === 'unresolved' && reach === 'opened')) {
    throw refusal(host, reach);
  }
  return url.href;
}

/** A parser mends much (blanks, backslashes, missing slashes): what it would mend is a mistake and refused. */
function readUrl(text: string): URL {
  if (!/^https?:\/\/[^\s\p{Cc}\p{Cs}\\/][^\s\p{Cc}\p{Cs}\\]*$/iu.test(text)) {
    throw wrongUrl('must be a URL that begins with https:// and holds no blanks or backslashes');
  }
  const url = URL.parse(text);
  if (url === null) throw wrongUrl('is no URL. Check its host and its port');
  // An empty name is a mistake, too, and leaves no trace in the parsed URL.
  if (/^[^/?#]*@/.test(text.slice(text.indexOf('//') + 2))) {
    throw wrongUrl('must not hold a user name or a password: the signature proves who calls');
  }
  if (text.includes('#')) throw wrongUrl('must not have a fragment (#…): it is never sent');
  if (url.href.length > MAX_URL_LENGTH) {
    throw wrongUrl(`must have at most ${MAX_URL_LENGTH} characters in its encoded form`);
  }
  return url;
}

/** As it would be refused at every attempt: a port of another protocol. */
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
        `${host} may not be reached from here. Only public addresses are, and those that the operator has opened with OUTBOUND_ALLOW_CIDRS`,
      );
}

function wrongUrl(sentence: string): Problem {
  return new Problem('BAD_REQUEST', `body.url: ${sentence}.`);
}
