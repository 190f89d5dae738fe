import { OutboundError } from '#src/platform/http.ts';
import { callableUrl } from '#src/platform/outbound-hop.ts';

/**
 * Why a page could not be fetched, for the client. The sentence names the host but reveals nothing about an inner
 * network or a library: for a host that may not be contacted, the text is the same whatever it resolves to.
 */
export function explainFetchFailure(error: OutboundError, url: string): string {
  const host = URL.parse(url)?.hostname ?? 'The address';
  switch (error.kind) {
    case 'refused':
      return explainRefusal(url, host);
    case 'timeout':
    case 'too-large':
    case 'too-many-redirects':
      return error.message;
    case 'network':
      return error.message.includes(' could not be called: ')
        ? `${host} could not be called${error.code === '' ? '' : ` (${error.code})`}.`
        : error.message;
  }
}

function explainRefusal(url: string, host: string): string {
  return (
    whyUncallable(url) ??
    `${host} cannot be reached from here, or it leads to an address that cannot be. Only public addresses can be, and those that the operator has opened with OUTBOUND_ALLOW_CIDRS.`
  );
}

/** What is wrong with an address regardless of its host; null when it may be requested. */
export function whyUncallable(url: string): string | null {
  try {
    callableUrl(URL.parse(url));
    return null;
  } catch (error) {
    if (error instanceof OutboundError) return error.message;
    throw error;
  }
}
