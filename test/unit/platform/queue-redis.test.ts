import { pino } from 'pino';
import { describe, expect, it } from 'vitest';
import { assertUsableRedis, openRedis, parseRedisUrl } from '#src/platform/redis.ts';

describe('parseRedisUrl', () => {
  it.each([
    '',
    ' , ',
    'http://host:6379',
    'localhost:6379',
    'redis://',
    'redis+sentinel://host:26379',
  ])('rejects "%s" in a sentence that names the setting', (url) => {
    expect(() => parseRedisUrl(url)).toThrow(/^REDIS_URL is not usable/);
  });

  it('keeps the password out of its error', () => {
    expect(() => parseRedisUrl('http://user:hunter2@host')).not.toThrow(/hunter2/);
  });

  it('reads one URL as a single server', () => {
    expect(parseRedisUrl('redis://user:pass@host:7000/3')).toEqual({
      kind: 'single',
      url: 'redis://user:pass@host:7000/3',
    });
  });

  it('reads a list as a cluster, with and without repeated schemes', () => {
    expect(parseRedisUrl('rediss://u:p%40w@a:7000, b:7001,rediss://c')).toEqual({
      kind: 'cluster',
      nodes: [
        { host: 'a', port: 7000 },
        { host: 'b', port: 7001 },
        { host: 'c', port: 6379 },
      ],
      options: { username: 'u', password: 'p@w', tls: {} },
    });
  });

  it('reads sentinels, the name of their master and its database', () => {
    expect(parseRedisUrl('redis+sentinel://:secret@a:26379,[::1]/mymaster/2')).toEqual({
      kind: 'sentinel',
      options: {
        password: 'secret',
        db: 2,
        name: 'mymaster',
        sentinels: [
          { host: 'a', port: 26_379 },
          { host: '::1', port: 26_379 },
        ],
      },
    });
  });
});

describe('assertUsableRedis', () => {
  function check(info: string): { warnings: string[]; done: Promise<void> } {
    const warnings: string[] = [];
    const log = pino({ level: 'warn' }, { write: (line) => void warnings.push(line) });
    return { warnings, done: assertUsableRedis({ info: async () => info }, log) };
  }

  it('rejects Redis 6 with a remedy', async () => {
    await expect(
      check('redis_version:6.2.14\r\nmaxmemory_policy:noeviction\r\n').done,
    ).rejects.toThrow(/6\.2\.14.*too old.*Upgrade/);
  });

  it('warns about a policy that may evict jobs', async () => {
    const { warnings, done } = check('redis_version:7.0.15\r\nmaxmemory_policy:allkeys-lru\r\n');
    await done;
    expect(warnings).toHaveLength(1);
    expect(warnings[0]).toContain('noeviction');
  });

  it('accepts Redis 7 and newer silently', async () => {
    const { warnings, done } = check('redis_version:10.0.1\r\nmaxmemory_policy:noeviction\r\n');
    await done;
    expect(warnings).toEqual([]);
  });
});

describe('openRedis', () => {
  it('reports that nothing answers, and how to work without Redis', async () => {
    const errors: Error[] = [];
    const opening = openRedis(
      'redis://127.0.0.1:1',
      'producer',
      (error) => void errors.push(error),
    );
    await expect(opening).rejects.toThrow(/does not answer.*ECONNREFUSED.*REDIS_URL/);
    expect(errors.length).toBeGreaterThan(0);
  });
});
