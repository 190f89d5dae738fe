import { expect, it } from 'vitest';
import { ConfigError, parseConfig } from '#src/platform/config.ts';
import { findMisspelledSetting } from '#src/platform/misspelled-setting.ts';

it.each([
  ['DATABSE_URL', 'DATABASE_URL'],
  ['DATABASE_URLS', 'DATABASE_URL'],
  ['DATABASE_ULR', 'DATABASE_URL'],
  ['DATABASE_URI', 'DATABASE_URL'],
  ['database_url', 'DATABASE_URL'],
  ['ENCRYPTION_KEYS', 'ENCRYPTION_KEY'],
  ['REDISURL', 'REDIS_URL'],
  ['redisUrl', 'REDIS_URL'],
  ['LOGLEVEL', 'LOG_LEVEL'],
  ['loglevel', 'LOG_LEVEL'],
  ['LOG_LEVELS', 'LOG_LEVEL'],
  ['MAXDOCUMENTBYTES', 'MAX_DOCUMENT_BYTES'],
  ['MAX_DOCUMENTBYTES', 'MAX_DOCUMENT_BYTES'],
  ['maxDocumentBytes', 'MAX_DOCUMENT_BYTES'],
  ['DATA_BASE_URL', 'DATABASE_URL'],
  ['BOOTSTRAPADMINAPIKEY', 'BOOTSTRAP_ADMIN_API_KEY'],
  ['LLM_MODELS', 'LLM_MODEL'],
])('rejects %s and suggests %s', (found, meant) => {
  const parse = () => parseConfig({ [found]: 'secret' });
  expect(parse).toThrow(ConfigError);
  expect(parse).toThrow(`${found} is not a setting of Millrace; ${meant} is.`);
  expect(parse).not.toThrow(/secret/);
});

it('suggests a setting of the command line as well', () => {
  expect(() => parseConfig({ MILLRACEURL: 'x' })).not.toThrow();
  const slip = findMisspelledSetting({ MILLRACEURL: 'x' }, ['MILLRACE_URL'], []);
  expect(slip).toEqual({ found: 'MILLRACEURL', meant: 'MILLRACE_URL' });
});

it('accepts LOGLEVEL of other software beside LOG_LEVEL', () => {
  expect(parseConfig({ LOG_LEVEL: 'debug', LOGLEVEL: 'verbose' }).LOG_LEVEL).toBe('debug');
  expect(parseConfig({ LOG_LEVEL: '', LOGLEVEL: 'verbose' }).LOG_LEVEL).toBe('info');
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
  'DATADIR',
  'SIGNUP',
  'LOGLEVELS',
  'DEBUG_LOG_LEVEL',
  'npm_config_loglevel',
  'OTEL_LOG_LEVEL',
  'MAX_BYTES',
  'MAXDOCUMENTS',
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
