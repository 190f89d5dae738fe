import { describe, expect, test } from 'vitest';
import { runCommand, startFakeService } from '#test/support/fake-service.ts';

const ID = '3f8b3c1e-0d5b-4a52-9c56-1f5f5a3d7e10';

describe('webhooks recover', () => {
  const answer = (recovered: number) => () => ({
    json: { matched: { failed: 1_200, missing: 3 }, recovered, dry_run: recovered === 0 },
  });

  test('counts without sending unless --yes is given', async () => {
    await using service = await startFakeService(answer(0));
    const words = ['webhooks', 'recover', ID, '--since', '2026-01-31T12:00:00+02:00'];
    const run = await runCommand(words, { url: service.url });
    expect(run.code).toBe(0);
    expect(service.requests[0]).toMatchObject({
      method: 'POST',
      url: `/webhook-endpoints/${ID}/recover`,
    });
    expect(service.requests.map(({ body }) => body)).toEqual([
      { since: '2026-01-31T10:00:00.000Z', dry_run: true },
    ]);
    expect(run.stdout).toContain('1,200 not delivered, 3 never sent');
    expect(run.stderr).toContain('Add --yes');
  });

  test('sends with --yes, and says when there are more', async () => {
    await using service = await startFakeService(answer(1_000));
    const run = await runCommand(['webhooks', 'recover', ID, '--since', '1h', '--yes'], {
      url: service.url,
    });
    expect(service.requests[0]?.body).toMatchObject({ dry_run: false });
    expect(run.stdout).toContain('Sending 1,000.');
    expect(run.stderr).toContain('again for the rest');
  });

  test.each([
    ['30m', 1_800_000],
    ['2h', 7_200_000],
    ['3d', 259_200_000],
  ])('reads %s as an age', async (text, agoMs) => {
    await using service = await startFakeService(answer(0));
    const before = Date.now();
    await runCommand(['webhooks', 'recover', ID, '--since', text], { url: service.url });
    const body = service.requests[0]?.body as { since: string }; // the body this command sends
    const since = Date.parse(body.since);
    expect(since).toBeGreaterThanOrEqual(before - agoMs);
    expect(since).toBeLessThanOrEqual(Date.now() - agoMs);
  });

  test.each(['', '2', '2w', 'yesterday', '-2h', '2026-13-01', '1'])(
    'rejects %j as invalid',
    async (text) => {
      const run = await runCommand(['webhooks', 'recover', ID, `--since=${text}`], {
        url: 'http://127.0.0.1:9',
      });
      expect(run.code).toBe(2);
    },
  );
});
