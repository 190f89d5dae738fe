import type { Config } from './config.ts';

/**
 * The URL where clients reach this service, without a trailing slash; its listening address unless `PUBLIC_URL` is set.
 */
export function baseUrlOf(config: Pick<Config, 'HOST' | 'PORT' | 'PUBLIC_URL'>): string {
  const { PUBLIC_URL: publicUrl, HOST: host, PORT: port } = config;
  if (publicUrl !== undefined) return withoutLastSlashes(publicUrl);
  return `http://${host.includes(':') ? `[${host}]` : host}:${port}`;
}

/** Not a regular expression: it would retry at every slash and take hours for an address of a million slashes. */
export function withoutLastSlashes(address: string): string {
  let end = address.length;
  while (address[end - 1] === '/') end -= 1;
  return address.slice(0, end);
}
