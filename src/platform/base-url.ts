import type { Config } from './config.ts';

/** Where clients find this service, without a slash at its end; the address that it listens on until `PUBLIC_URL` says more. */
export function baseUrlOf(config: Pick<Config, 'HOST' | 'PORT' | 'PUBLIC_URL'>): string {
  const { PUBLIC_URL: publicUrl, HOST: host, PORT: port } = config;
  if (publicUrl !== undefined) return withoutLastSlashes(publicUrl);
  return `http://${host.includes(':') ? `[${host}]` : host}:${port}`;
}

/** A pattern would try again at every slash, and take hours for an address of a million. */
export function withoutLastSlashes(address: string): string {
  let end = address.length;
  while (address[end - 1] === '/') end -= 1;
  return address.slice(0, end);
}
