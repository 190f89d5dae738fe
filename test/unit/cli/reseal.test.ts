import { describe, expect, test } from 'vitest';
import { runCommand, startFakeService } from '#test/support/fake-service.ts';

const KEYS = '/manage/admin/encryption-keys';
const report = (left: number) => ({
  keys: [
    { id: '11111111', state: 'seals', values: 1_200 },
    { id: '22222222', state: 'opens', values: left },
  ],
  left,
});
const step = (some: Record<string, unknown> = {}) => ({
  key_id: '11111111',
  resealed: 1_000,
  unreadable: [],
  next: null,
  ...some,
});

/** Answers reports and steps in order; the last of each repeats. */
const service = (reports: unknown[], steps: unknown[]) =>
  startFakeService(({ method }) => {
    const answers = method === 'GET' ? reports : steps;
    return { json: answers.length > 1 ? answers.shift() : answers[0] };
  });

describe('keys reseal', () => {
  test('repeats steps until nothing is left', async () => {
    await using fake = await service(
      [report(1_700), report(0)],
      [step({ next: 'credential.secret:9' }), step({ resealed: 700 })],
    );
    const run = await runCommand(['keys', 'reseal'], { url: fake.url });
    expect(run).toMatchObject({
      code: 0,
      stdout: '1,700 values resealed with the key 11111111, 0 left: the old key may be removed.\n',
    });
    expect(fake.requests.map(({ method, url, body }) => [method, url, body])).toEqual([
      ['GET', KEYS, null],
      ['POST', `${KEYS}/reseal`, { after: null }],
      ['POST', `${KEYS}/reseal`, { after: 'credential.secret:9' }],
      ['GET', KEYS, null],
    ]);
  });

  test('makes another pass for values sealed with the old key in the meantime', async () => {
    await using fake = await service(
      [report(5), report(1), report(0)],
      [step({ resealed: 5 }), step({ resealed: 1 })],
    );
    const run = await runCommand(['keys', 'reseal', '--json'], { url: fake.url });
    expect(run.code).toBe(0);
    expect(JSON.parse(run.stdout)).toEqual({
      key_id: '11111111',
      resealed: 6,
      left: 0,
      unreadable: [],
    });
  });

  test('exits with 1 when another process keeps sealing with the old key', async () => {
    await using fake = await service([report(5)], [step({ resealed: 5 })]);
    const run = await runCommand(['keys', 'reseal'], { url: fake.url });
    expect([run.code, run.stdout]).toEqual([1, '']);
    expect(run.stderr).toContain('5 left: the old key must stay. Another process still seals');
    expect(fake.requests).toHaveLength(11);
  });

  test('names what cannot be read, and exits with 1', async () => {
    const unreadable = [{ row: 'credential:7', reason: 'The secret of credential:7 is damaged.' }];
    await using fake = await service([report(2), report(1)], [step({ resealed: 1, unreadable })]);
    const run = await runCommand(['keys', 'reseal'], { url: fake.url });
    expect(run.code).toBe(1);
    expect(run.stderr).toContain('The secret of credential:7 is damaged.\n');
    expect(run.stderr).toContain('1 left: the old key must stay. These cannot be read');
  });

  test('stops when API processes use different keys', async () => {
    await using fake = await service([report(2)], [step({ key_id: '22222222' })]);
    const run = await runCommand(['keys', 'reseal'], { url: fake.url });
    expect(run.code).toBe(1);
    expect(run.stderr).toContain('seals with the key 11111111, another with 22222222');
  });

  test('only shows the keys with --dry-run', async () => {
    await using fake = await service([report(3)], []);
    const run = await runCommand(['keys', 'reseal', '--dry-run'], { url: fake.url });
    expect(run).toMatchObject({
      code: 0,
      stdout:
        'Key       State  Values\n11111111  seals  1,200\n22222222  opens  3\n3 values to reseal.\n',
    });
    expect(fake.requests).toHaveLength(1);
  });
});
