import { describe, expect, it } from 'vitest';
import { healthRoutes } from '#src/api/routes/health.ts';
import { createMetrics } from '#src/platform/metrics.ts';
import { BOOTSTRAP_KEY, call, openTestApi } from './harness.ts';

const TOKEN = 'a-token-for-the-scraper';

describe('request labels', () => {
  it('stay few whatever methods and statuses occur', async () => {
    const metrics = createMetrics();
    for (const method of ['GET', 'PROPFIND', 'M-SEARCH', 'BREW'])
      for (let status = 400; status < 440; status += 1)
        metrics.observeRequest(method, 'unmatched', status, 0.01);
    const text = await metrics.text();
    expect(text).not.toMatch(/PROPFIND|M-SEARCH|BREW/);
    expect(text.match(/^millrace_http_request_duration_seconds_bucket/gm)).toHaveLength(26);
    expect(text.match(/^millrace_http_requests_total/gm)).toHaveLength(80);
  });
});

describe('GET /metrics', () => {
  it('is open in the embedded size without a token', async () => {
    await using api = await openTestApi(healthRoutes);
    expect((await call(api, '/metrics', { key: '' })).status).toBe(200);
  });

  it('accepts only METRICS_TOKEN or the operator key when a token is set', async () => {
    await using api = await openTestApi(healthRoutes, { settings: { METRICS_TOKEN: TOKEN } });
    const statusOf = async (key: string) => (await call(api, '/metrics', { key })).status;
    expect(await statusOf('')).toBe(401);
    expect(await statusOf('a-wrong-token')).toBe(401);
    expect(await statusOf(TOKEN)).toBe(200);
    expect(await statusOf(BOOTSTRAP_KEY)).toBe(200);
  });

  it('is closed outside the embedded size without a token', async () => {
    await using api = await openTestApi(healthRoutes, {
      settings: { DATABASE_URL: 'postgres://u:p@127.0.0.1/db', ENCRYPTION_KEY: 'a'.repeat(64) },
    });
    expect((await call(api, '/metrics', { key: '' })).status).toBe(401);
  });
});
