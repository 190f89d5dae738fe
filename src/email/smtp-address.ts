import { domainToASCII } from 'node:url';

/** No display name, no quotes, nothing that could end an address and begin another thing. */
const PLAIN_ADDRESS = /^[^\s<>"(),:;@[\]\\\p{Cc}]{1,64}@[^\s<>"(),:;@[\]\\\p{Cc}]{1,255}$/u;

/** Whether the text is one address and nothing else. */
export function isPlainAddress(text: string): boolean {
  return PLAIN_ADDRESS.test(text);
}

/** The address as the envelope takes it: `xn--` for other letters in its domain. */
export function asciiDomain(address: string): string {
  const at = address.lastIndexOf('@');
  return `${address.slice(0, at)}@${asciiHost(address.slice(at + 1))}`;
}

/** As certificates and the protocol name it: `xn--` for other letters, no dot at the end. */
export function asciiHost(host: string): string {
  return (domainToASCII(host) || host).replace(/\.$/, '');
}
