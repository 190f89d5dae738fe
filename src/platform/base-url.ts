import type { Config } from './config.ts';

/** Where clients find this service, without a slash at its end; the address that it listens on until `PUBLIC_URL` says more. */
export function baseUrlOf(config: Pick<Config, 'HOST' | 'PORT' | 'PUBLIC_URL'>): string {
  const { PUBLIC_URL: publicUrl, HOST: host, PORT: port } = config;
  if (publicUrl !== undefined) return publicUrl.replace(/\/+$/, '');
  return `http://${host.includes(':') ? `[${host}]` : host}:${port}`;
}
