import { expect, it } from 'vitest';
import { ConfigError, parseConfig } from '#src/platform/config.ts';

const KEY = Buffer.alloc(32, 7).toString('base64');
const SERVER = { DATABASE_URL: 'postgres://u:p@127.0.0.1/db', ENCRYPTION_KEY: KEY };

const complaint = (settings: Record<string, string>): string => {
  try {
    parseConfig(settings);
  } catch (error) {
    expect(error).toBeInstanceOf(ConfigError);
    return String(error);
  }
  throw new Error('The settings were accepted.');
};

it('needs no settings for the embedded size', () => {
  expect(parseConfig({})).toMatchObject({
    size: 'embedded',
    PORT: 3000,
    EMBEDDING_DIMENSIONS: 1024,
  });
});

it('treats a blank setting as absent', () => {
  expect(parseConfig({ PORT: '', DATABASE_URL: '', LLM_MODEL: '' }).size).toBe('embedded');
});

it('derives the size from the URLs', () => {
  expect(parseConfig(SERVER).size).toBe('one-database');
  expect(parseConfig({ ...SERVER, REDIS_URL: 'redis://127.0.0.1' }).size).toBe('scale-out');
});

it.each([
  ['PORT', { PORT: 'eighty' }],
  ['PORT', { PORT: '70000' }],
  ['DATABASE_URL', { DATABASE_URL: 'mysql://x' }],
  ['ENCRYPTION_KEY', { ENCRYPTION_KEY: 'short' }],
  ['ENCRYPTION_KEY', { ENCRYPTION_KEY: `${KEY},short` }],
  ['ENCRYPTION_KEY', { ENCRYPTION_KEY: `${KEY},` }],
  ['ENCRYPTION_KEY', { ENCRYPTION_KEY: `${KEY},${KEY}` }],
  ['ENCRYPTION_KEY', { DATABASE_URL: 'postgres://u@h/d' }],
  ['REDIS_URL', { REDIS_URL: 'redis://127.0.0.1' }],
  ['LOG_LEVEL', { LOG_LEVEL: 'loud' }],
  ['EMBEDDING_PROVIDER', { EMBEDDING_PROVIDER: 'magic' }],
  ['EMBEDDING_BASE_URL', { EMBEDDING_PROVIDER: 'openai' }],
  ['EMBEDDING_MODEL', { EMBEDDING_PROVIDER: 'onnx' }],
  ['EMBEDDING_DIMENSIONS', { EMBEDDING_DIMENSIONS: '1000' }],
  ['LLM_MODEL', { LLM_BASE_URL: 'http://127.0.0.1:1/v1' }],
  ['OUTBOUND_ALLOW_CIDRS', { OUTBOUND_ALLOW_CIDRS: '10.0.0.0/8, nonsense' }],
  ['DEFAULT_PLAN', { DEFAULT_PLAN: 'Gold' }],
])('rejects a wrong or contradictory %s in a sentence that names it', (name, settings) => {
  expect(complaint(settings as unknown as Record<string, string>)).toContain(name);
});

it('never repeats a secret in an error', () => {
  const secret = 'sup3r-secret';
  expect(complaint({ ENCRYPTION_KEY: secret })).not.toContain(secret);
});

it('accepts several encryption keys, in base64 or hex', () => {
  const other = Buffer.alloc(32, 9);
  const { ENCRYPTION_KEY: keys } = parseConfig({
    ENCRYPTION_KEY: `${KEY}, ${other.toString('hex')}`,
  });
  expect(keys?.map((key) => key[0])).toEqual([7, 9]);
});
