import { domainToASCII } from 'node:url';
import { wellKnownServer } from './smtp.ts';
import { isImplicitTls, whyPortForbidden } from './smtp-port.ts';

/** The submission server for this address, for mailboxes of known providers. Null for all other domains. */
export function knownProviderOf(email: string): { host: string; port: number } | null {
  const domain = domainOf(email);
  // The list also contains service names, which have no dot.
  if (!domain.includes('.')) return null;
  const server = SUPPLEMENT[domain] ?? wellKnownServer(domain);
  return server === null ? null : { host: server.host, port: submissionPort(server.port) };
}

/** Whether the domain belongs to a mailbox provider, whose DNS its users cannot change. */
export function isProviderDomain(domain: string): boolean {
  return PROVIDER_FAMILIES.test(domain) || knownProviderOf(`someone@${domain}`) !== null;
}

/** Domains of large providers that are missing from the list, according to the providers' own help pages. */
const SUPPLEMENT: Readonly<Record<string, { host: string; port: number }>> = {
  'web.de': { host: 'smtp.web.de', port: 587 },
  't-online.de': { host: 'securesmtp.t-online.de', port: 465 },
  'freenet.de': { host: 'mx.freenet.de', port: 587 },
  'orange.fr': { host: 'smtp.orange.fr', port: 465 },
  'free.fr': { host: 'smtp.free.fr', port: 465 },
  'laposte.net': { host: 'smtp.laposte.net', port: 465 },
  'zoho.com': { host: 'smtp.zoho.com', port: 465 },
};

const PROVIDER_FAMILIES =
  /^(?:yahoo|ymail|rocketmail|hotmail|outlook|live|msn|aol|gmx|yandex|zohomail|zoho)\.[a-z]{2,3}(?:\.[a-z]{2})?$/;

function domainOf(email: string): string {
  return domainToASCII(email.slice(email.lastIndexOf('@') + 1)).toLowerCase();
}

const STARTTLS_PORT = 587;

/** 465 and 587 before their alternatives, and before 25, which most hosters block. */
function submissionPort(port: number): number {
  if (isImplicitTls(port)) return 465;
  return whyPortForbidden(port, { allowPort25: false }) === null ? port : STARTTLS_PORT;
}
