import { domainToASCII } from 'node:url';

/** No display name, no quotes, nothing that could end the address and start something else. */
const PLAIN_ADDRESS = /^[^\s<>"(),:;@[\]\\\p{Cc}]{1,64}@[^\s<>"(),:;@[\]\\\p{Cc}]{1,255}$/u;

/** Whether the text is exactly one address. */
export function isPlainAddress(text: string): boolean {
  return PLAIN_ADDRESS.test(text);
}

/** The address for the envelope, with its domain in ASCII (`xn--`). */
export function asciiDomain(address: string): string {
  const at = address.lastIndexOf('@');
  return `${address.slice(0, at)}@${asciiHost(address.slice(at + 1))}`;
}

/** The host for certificates and the protocol: in ASCII (`xn--`), without a trailing dot. */
export function asciiHost(host: string): string {
  return (domainToASCII(host) || host).replace(/\.$/, '');
}
