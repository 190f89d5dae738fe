import { expect, it } from 'vitest';
import { ConfigError, parseConfig } from '#src/platform/config.ts';

it.each([
  ['DATABSE_URL', 'DATABASE_URL'],
  ['DATABASE_URLS', 'DATABASE_URL'],
  ['DATABASE_ULR', 'DATABASE_URL'],
  ['DATABASE_URI', 'DATABASE_URL'],
  ['database_url', 'DATABASE_URL'],
  ['ENCRYPTION_KEYS', 'ENCRYPTION_KEY'],
  ['REDISURL', 'REDIS_URL'],
  ['LLM_MODELS', 'LLM_MODEL'],
])('rejects %s and suggests %s', (found, meant) => {
  const parse = () => parseConfig({ [found]: 'secret' });
  expect(parse).toThrow(ConfigError);
  expect(parse).toThrow(`${found} is not a setting of Millrace; ${meant} is.`);
  expect(parse).not.toThrow(/secret/);
});

it('accepts a name similar to a setting that is itself present, even blank', () => {
  expect(parseConfig({ DATABASE_URL: '', DATABASE_URI: 'of other software' }).size).toBe(
    'embedded',
  );
});

it.each([
  'HOME',
  'PATH',
  'HOSTNAME',
  'PORTS',
  'POST',
  'HOSTS',
  'LOGLEVEL',
  'NODE_ENV',
  'REDIS_HOST',
  'REDIS_TLS_URL',
  'POSTGRES_URL',
  'PG_DATABASE_URL',
  'AWS_SECRET_ACCESS_KEY',
  'R3_BUCKET',
  'VLM_MODEL',
  'METRICS_HOST',
  'OPENAI_BASE_URL',
  'MILLRACE_URL',
  'MILLRACE_API_KEY',
])('ignores %s, which is not a misspelled setting', (name) => {
  expect(parseConfig({ [name]: 'x' }).size).toBe('embedded');
});

it.each(['http://0.0.0.0', 'localhost:3000', '[::1]', 'http://localhost/', 'a b'])(
  'rejects HOST=%s with a hint',
  (host) => {
    expect(() => parseConfig({ HOST: host })).toThrow(/HOST: must be a host name or an address/);
  },
);

it.each(['localhost', '::', '::1', '0.0.0.0', 'api.example.test', 'my_container'])(
  'listens on HOST=%s',
  (host) => {
    expect(parseConfig({ HOST: host }).HOST).toBe(host);
  },
);
