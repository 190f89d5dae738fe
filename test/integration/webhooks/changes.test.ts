import { randomUUID } from 'node:crypto';
import { sql } from 'kysely';
import { Webhook } from 'standardwebhooks';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { until } from '#test/support/until.ts';
import {
  PUBLIC_URL,
  startWebhookStage,
  type WebhookStage,
  type WebhookTenant,
} from '#test/support/webhook-tenant.ts';

const PATH = '/webhook-endpoints';

let stage: WebhookStage;
let owner: WebhookTenant;
beforeAll(async () => {
  stage = await startWebhookStage();
  owner = await stage.openTenant();
});
afterAll(() => stage[Symbol.asyncDispose]());

interface StoredSecrets {
  secret: string;
  previous_secret: string | null;
  previous_secret_until: Date | null;
}

async function stored(id: string): Promise<StoredSecrets> {
  const { rows } = await sql<StoredSecrets>`
    select secret, previous_secret, previous_secret_until from webhook_endpoint
    where id = ${id}`.execute(stage.millrace.services.db);
  const [row] = rows;
  if (!row) throw new Error(`Endpoint ${id} does not exist.`);
  return row;
}

const unseal = (sealed: string, id: string): string =>
  stage.millrace.services.secrets.open(sealed, `webhook_endpoint:${id}`);

/** Keeps anything from being sent, whatever is due. */
async function openBreaker(id: string): Promise<void> {
  await sql`update webhook_endpoint set breaker_until = now() + interval '1 day', breaker_trips = 3,
      failing_since = now() - interval '1 hour', failures = 12, last_failure_at = now()
    where id = ${id}`.execute(stage.millrace.services.db);
}

describe('a change', () => {
  it.each<[unknown, string]>([
    [{ colour: 'red' }, '"colour"'],
    [{ id: randomUUID() }, '"id"'],
    [{ health: {} }, '"health"'],
    [{ url: null }, 'body.url'],
    [{ enabled: null }, 'body.enabled'],
    [{ url: 'https://192.168.0.1/' }, 'cannot be reached'],
    [{ url: 'http://93.184.216.34/' }, 'Use https://'],
    [{ event_types: ['no.such'] }, '"no.such"'],
    [{ description: 'Half', rate_limit: -1 }, 'body.rate_limit'],
  ])('of %j is refused and changes nothing', async (body, words) => {
    const { id } = await owner.createEndpoint({ description: 'Before' });
    const before = (await owner.call('GET', `${PATH}/${id}`)).body;
    const { status, body: problem } = await owner.call('PATCH', `${PATH}/${id}`, body);
    expect([status, problem.detail]).toEqual([400, expect.stringContaining(words)]);
    expect((await owner.call('GET', `${PATH}/${id}`)).body).toEqual(before);
    await owner.call('DELETE', `${PATH}/${id}`);
  });

  it('keeps the fields it leaves out, and clears optional fields with null', async () => {
    const made = await owner.createEndpoint({
      description: 'A',
      rate_limit: 7,
      event_types: ['ping'],
    });
    const path = `${PATH}/${made.id}`;
    const { secret: _, ...shown } = made;
    expect((await owner.call('PATCH', path, {})).body).toEqual(shown);
    const described = (await owner.call('PATCH', path, { description: 'B' })).body;
    expect(described).toEqual({ ...shown, description: 'B', updated_at: expect.any(String) });
    expect(Date.parse(described.updated_at)).toBeGreaterThan(Date.parse(made.updated_at));
    const nothing = { description: null, rate_limit: null, event_types: null };
    expect((await owner.call('PATCH', path, nothing)).body).toMatchObject({
      description: '',
      rate_limit: null,
      event_types: null,
      url: PUBLIC_URL,
    });
  });

  it('to disabled cancels waiting deliveries once, and back to enabled resets the failures', async () => {
    const { id } = await owner.createEndpoint();
    const path = `${PATH}/${id}`;
    await openBreaker(id);
    expect((await owner.call('GET', path)).body.health).toMatchObject({
      state: 'open',
      failures: 12,
      next_probe_at: expect.any(String),
    });
    const { body: sent } = await owner.call('POST', `${path}/test`, {});
    const disabled = (await owner.call('PATCH', path, { enabled: false })).body;
    expect(disabled).toMatchObject({ enabled: false, health: { state: 'disabled' } });
    expect(disabled.health.next_probe_at).toBeNull();
    expect((await owner.call('GET', sent.status_url)).body).toMatchObject({
      status: 'canceled',
      next_attempt_at: null,
      finished_at: expect.any(String),
      error: expect.stringContaining('disabled'),
    });
    const again = (await owner.call('PATCH', path, { enabled: false })).body;
    expect(again.disabled_at).toBe(disabled.disabled_at);
    const tried = await owner.call('POST', `${path}/test`, {});
    expect([tried.status, tried.body.error_code]).toEqual([409, 'CONFLICT']);
    expect(tried.body.detail).toContain('"enabled": true');
    expect((await owner.call('PATCH', path, { enabled: true })).body).toMatchObject({
      enabled: true,
      disabled_at: null,
      disabled_reason: null,
      health: { state: 'healthy', failing_since: null, failures: 0, next_probe_at: null },
    });
    expect((await owner.call('GET', sent.status_url)).body.status).toBe('canceled');
  });

  it('of the URL resets the failures of the old one; other changes do not', async () => {
    const { id } = await owner.createEndpoint();
    const path = `${PATH}/${id}`;
    await openBreaker(id);
    const same = { url: PUBLIC_URL, description: 'Same' };
    expect((await owner.call('PATCH', path, same)).body.health.state).toBe('open');
    const moved = await owner.call('PATCH', path, { url: 'https://93.184.216.35/' });
    expect(moved.body).toMatchObject({ url: 'https://93.184.216.35/' });
    expect(moved.body.health).toMatchObject({ state: 'healthy', failures: 0 });
  });
});

describe('a rotation of the secret', () => {
  const rotate = (id: string, body?: unknown) =>
    owner.call('POST', `${PATH}/${id}/rotate-secret`, body);

  it.each([-1, 604_801, 1.5, '60', null])(
    'with a grace period of %j is refused',
    async (seconds) => {
      const { id } = await owner.createEndpoint();
      const before = await stored(id);
      const answer = await rotate(id, { grace_period_seconds: seconds });
      expect(answer.status).toBe(400);
      expect(await stored(id)).toEqual(before);
      await owner.call('DELETE', `${PATH}/${id}`);
    },
  );

  it('keeps the previous secret for a day by default, and never more than one', async () => {
    const { id, secret: first } = await owner.createEndpoint();
    const second = (await rotate(id)).body;
    expect(second).toEqual({
      id,
      secret: expect.stringMatching(/^whsec_/),
      previous_secret_valid_until: expect.any(String),
    });
    const graceMs = Date.parse(second.previous_secret_valid_until) - Date.now();
    expect(graceMs / 3_600_000).toBeCloseTo(24, 1);
    let row = await stored(id);
    expect(unseal(row.secret, id)).toBe(second.secret);
    expect(unseal(row.previous_secret ?? '', id)).toBe(first);

    const third = (await rotate(id, { grace_period_seconds: 604_800 })).body;
    row = await stored(id);
    expect(unseal(row.secret, id)).toBe(third.secret);
    expect(unseal(row.previous_secret ?? '', id)).toBe(second.secret);

    const fourth = (await rotate(id, { grace_period_seconds: 0 })).body;
    expect(fourth.previous_secret_valid_until).toBeNull();
    row = await stored(id);
    expect(unseal(row.secret, id)).toBe(fourth.secret);
    expect([row.previous_secret, row.previous_secret_until]).toEqual([null, null]);
    expect((await owner.call('GET', `${PATH}/${id}`)).text).not.toContain('whsec_');
  });

  it('among concurrent ones keeps two of the returned secrets', async () => {
    const { id, secret } = await owner.createEndpoint();
    const answers = await Promise.all(Array.from({ length: 8 }, () => rotate(id, {})));
    const shown = [secret, ...answers.map(({ body }) => body.secret)];
    expect(new Set(shown).size).toBe(9);
    const row = await stored(id);
    const kept = [unseal(row.secret, id), unseal(row.previous_secret ?? '', id)];
    expect(kept[0]).not.toBe(kept[1]);
    expect(shown).toEqual(expect.arrayContaining(kept));
    expect(kept[0]).not.toBe(secret);
  });
});

describe('a test send', () => {
  it('reaches only this endpoint, whatever its filter, signed with its secrets', async () => {
    const tenant = await stage.openTenant();
    await tenant.createEndpoint({ url: `${stage.receiver.url}/other` });
    const { id, secret } = await tenant.createEndpoint({
      url: `${stage.receiver.url}/tested`,
      event_types: ['document.failed'],
    });
    const rotated = (await tenant.call('POST', `${PATH}/${id}/rotate-secret`, {})).body;
    const sent = await tenant.call('POST', `${PATH}/${id}/test`, {});
    expect(sent.status).toBe(202);
    const { event_id, delivery_id, status_url } = sent.body;
    expect(status_url).toBe(`/webhook-deliveries/${delivery_id}`);
    const statusOf = async () => (await tenant.call('GET', status_url)).body;
    await until(async () => (await statusOf()).status === 'delivered');
    expect(await statusOf()).toMatchObject({
      id: delivery_id,
      event_id,
      event_type: 'ping',
      endpoint_id: id,
      attempts: 1,
      last_status_code: 204,
    });
    expect(stage.receiver.requestsTo('/other')).toEqual([]);
    const [received] = stage.receiver.requestsTo('/tested');
    for (const one of [secret, rotated.secret]) {
      const headers = received?.headers as Record<string, string>; // each of these comes only once
      expect(
        new Webhook(String(one)).verify(received?.body.toString() ?? '', headers),
      ).toMatchObject({
        id: event_id,
        type: 'ping',
        data: { endpoint_id: id },
      });
    }
    const healthy = (await tenant.call('GET', `${PATH}/${id}`)).body.health;
    expect(healthy).toMatchObject({ state: 'healthy', last_success_at: expect.any(String) });
  });

  it('refuses a body with any content', async () => {
    const { id } = await owner.createEndpoint();
    expect((await owner.call('POST', `${PATH}/${id}/test`, { type: 'ping' })).status).toBe(400);
  });
});
