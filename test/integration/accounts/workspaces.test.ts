import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import type { Route } from '#src/api/route.ts';
import { ROUTES } from '#src/api/routes/index.ts';
import type { Role } from '#src/tables/accounts.ts';
import { type Attack, attacksOn, leakedIn } from '#test/support/attacks.ts';
import { dumpWorkspace } from '#test/support/dump-workspace.ts';
import { type FakeStripe, startFakeStripe } from '#test/support/fake-stripe.ts';
import { makeOwnThings } from '#test/support/seed-chat.ts';
import { insertPerson, signIn } from '#test/support/seed-people.ts';
import {
  createKey,
  type SeededWorkspace,
  seedWorkspace,
  SHARED_DOCUMENT,
} from '#test/support/seed-workspace.ts';
import { WEBHOOK_SECRET } from '#test/support/stripe-fixtures.ts';
import { startTestMillrace, type TestMillrace } from '#test/support/test-millrace.ts';

const ROLES: Role[] = ['admin', 'member', 'ingest', 'read', 'observer'];

let stripe: FakeStripe;
let millrace: TestMillrace;
let a: SeededWorkspace;
let b: SeededWorkspace;
let keysOfB: Record<Role, string>;

beforeAll(async () => {
  stripe = await startFakeStripe();
  millrace = await startTestMillrace({
    STRIPE_SECRET_KEY: 'sk_test',
    STRIPE_API_URL: stripe.url,
    STRIPE_WEBHOOK_SECRET: WEBHOOK_SECRET,
  });
  a = await seedWorkspace(millrace, 'zanzibarium');
  b = await seedWorkspace(millrace, 'kattegatium');
  keysOfB = { admin: b.adminKey, member: '', ingest: '', read: '', observer: '' };
  for (const role of ['member', 'ingest', 'read', 'observer'] as const) {
    keysOfB[role] = (await createKey(millrace, b.adminKey, role)).key;
  }
  stripe.customers = { [a.customerId]: {}, [b.customerId]: {} };
});
afterAll(async () => {
  await millrace[Symbol.asyncDispose]();
  await stripe[Symbol.asyncDispose]();
});

const attacks = (): Attack[] => ROUTES.flatMap((route) => attacksOn(route, a, b));

describe('a stranger with keys of another workspace', () => {
  it('gets 404 for a foreign chat session, document and key', async () => {
    const refused = await Promise.all([
      millrace.call(
        'POST',
        '/chat/send-chat-message',
        { message: 'Go on', chat_session_id: a.chatSessionId },
        { key: b.adminKey },
      ),
      millrace.call('GET', `/service-api/ingestion/${a.documentIds[1]}`, undefined, {
        key: b.adminKey,
      }),
      millrace.call('DELETE', `/account/api-keys/${a.apiKeyId}`, undefined, { key: b.adminKey }),
    ]);
    expect(refused.map(({ status, body }) => [status, body.error_code])).toEqual([
      [404, 'NOT_FOUND'],
      [404, 'NOT_FOUND'],
      [404, 'NOT_FOUND'],
    ]);
  });

  it('gets 404 for a foreign connector, credential, pair, run and document set', async () => {
    const strange = attacks().filter(
      ({ method, path }) =>
        path.startsWith('/manage/') &&
        (method === 'GET'
          ? /\/\d+/.test(path)
          : /cc-pair|\/credential\/|document-set\//.test(path)),
    );
    expect(strange.length).toBeGreaterThan(25);
    for (const { method, path, body, headers } of strange) {
      const answer = await millrace.call(method, path, body, { key: b.adminKey, headers });
      expect([answer.status, answer.body.error_code], `${method} ${path}: ${answer.text}`).toEqual([
        404,
        'NOT_FOUND',
      ]);
    }
  });

  it('gets 404 for a foreign endpoint, event, delivery, member, scrape, account and message', async () => {
    const strange = attacks().filter(({ path }) =>
      /^\/(webhook-\w+|account\/members|tools\/lead-scraper|email-\w+|do-not-contact)\/./.test(
        path,
      ),
    );
    expect(strange.length).toBeGreaterThan(28);
    for (const { method, path, body } of strange) {
      const answer = await millrace.call(method, path, body, { key: b.adminKey });
      expect([answer.status, answer.body.error_code], `${method} ${path}: ${answer.text}`).toEqual([
        404,
        'NOT_FOUND',
      ]);
    }
  });

  it('gets 404 for a foreign session, message, agent, project, file, tool and MCP server', async () => {
    const own = { ...b, ...(await makeOwnThings(millrace, b.adminKey)) };
    const named =
      /^\/(chat|user|persona|tool|admin\/(tool|mcp))\/.*(\/|message_id=)(\d+|[\da-f]{8}-[\da-f-]{27})\b/;
    const inBody = /^\/chat\/(rename|update|create-chat-message|set-message)|remove_chat_session$/;
    const strange = ROUTES.flatMap((route) => attacksOn(route, a, own)).filter(
      ({ path }) => named.test(path) || inBody.test(path),
    );
    expect(strange.length).toBeGreaterThan(75);
    for (const { method, path, body } of strange) {
      const answer = await millrace.call(method, path, body, { key: b.adminKey });
      expect([answer.status, answer.body.error_code], `${method} ${path}: ${answer.text}`).toEqual([
        404,
        'NOT_FOUND',
      ]);
    }
  });

  it('lists only its own events and deliveries, whatever ids and cursors it sends', async () => {
    const own = new Set([b.endpointId, b.disabledEndpointId]);
    const isListing = ({ method, path }: Route) =>
      method === 'GET' && /^\/webhook-(events|deliveries)$/.test(path);
    for (const { path } of ROUTES.filter(isListing).flatMap((route) => attacksOn(route, a, b))) {
      const { status, body } = await millrace.call('GET', path, undefined, { key: b.adminKey });
      expect(status, path).toBe(200);
      for (const { endpoint_id } of body.deliveries ?? []) expect(own).toContain(endpoint_id);
      if (path.includes('_id=')) expect(body.deliveries).toEqual([]);
    }
  });

  it('sees only its own subscription', async () => {
    for (const { adminKey, marker } of [a, b]) {
      const { body } = await millrace.call('GET', '/subscription/status', undefined, {
        key: adminKey,
      });
      expect(body.currency).toBe(marker);
    }
  });

  it('may neither list workspaces nor set the plan of one', async () => {
    const refused = await Promise.all([
      millrace.call('GET', '/manage/admin/workspaces', undefined, { key: b.adminKey }),
      ...[a, b].map(({ workspaceId }) =>
        millrace.call(
          'PUT',
          `/manage/admin/workspaces/${workspaceId}/plan`,
          { plan_tier: 'Free' },
          { key: b.adminKey },
        ),
      ),
    ]);
    expect(refused.map(({ status, body }) => [status, body.error_code])).toEqual(
      Array.from({ length: 3 }, () => [403, 'UNAUTHORIZED']),
    );
  });

  it('earns its own award with an Idempotency-Key that another workspace has used', async () => {
    const headers = { 'Idempotency-Key': a.idempotencyKey };
    const pointsOf = async (key: string): Promise<number> =>
      (await millrace.call('GET', '/gamification/status', undefined, { key })).body.points;
    const before = [await pointsOf(a.adminKey), await pointsOf(b.adminKey)] as const;
    const action = { action_type: 'search' }; // workspace A used this key for a share
    const { body } = await millrace.call('POST', '/gamification/action', action, {
      key: b.adminKey,
      headers,
    });
    expect(body).toMatchObject({ action_recorded: true, points_total: before[1] + 10 });
    expect(await pointsOf(a.adminKey)).toBe(before[0]);
  });

  it.each(ROLES)(
    'calls every endpoint as %s and neither sees nor changes anything',
    async (role) => {
      await millrace.settled(a.adminKey);
      const secrets = [a.marker, ...a.secretIds];
      const before = await dumpWorkspace(millrace.services.db, a.workspaceId);
      expect(Object.keys(before).filter((table) => before[table]?.length === 0)).toEqual([]);
      for (const prefix of ['', '/api']) {
        // The calls delete all of the caller's own sessions.
        const own = { ...b, ...(await makeOwnThings(millrace, b.adminKey)) };
        for (const attack of ROUTES.flatMap((route) => attacksOn(route, a, own))) {
          const path = prefix + attack.path;
          const answer = await millrace.call(attack.method, path, attack.body, {
            key: keysOfB[role],
            headers: attack.headers,
          });
          expect(answer.status, `${attack.method} ${path}: ${answer.text}`).toBeLessThan(500);
          expect(
            leakedIn(answer, attack, secrets),
            `${attack.method} ${path}: ${answer.text}`,
          ).toEqual([]);
        }
      }
      await millrace.settled(b.adminKey);
      await millrace.services.pointsAwarder.idle();
      expect(await dumpWorkspace(millrace.services.db, a.workspaceId)).toEqual(before);
      // File bytes may be stored outside the database.
      const file = await millrace.call('GET', `/chat/file/${a.chatFileId}`, undefined, {
        key: a.adminKey,
      });
      expect(file.text).toContain(a.diaryWord);
    },
  );

  it('calls every endpoint with a session and neither sees nor changes anything', async () => {
    await millrace.settled(a.adminKey);
    const secrets = [a.marker, ...a.secretIds];
    const { services } = millrace;
    const before = await dumpWorkspace(services.db, a.workspaceId);
    const { personEmail } = await insertPerson(services, b.workspaceId, 'admin');
    const browser = await signIn(millrace, personEmail);
    const own = { ...b, ...(await makeOwnThings(millrace, b.adminKey)) };
    let answered = 0;
    for (const attack of ROUTES.flatMap((route) => attacksOn(route, a, own))) {
      const { method, path, body, headers } = attack;
      if (path === '/auth/sign-out') continue;
      const answer = await browser.call(method, path, body, headers);
      expect(answer.status, `${method} ${path}: ${answer.text}`).toBeLessThan(500);
      expect(leakedIn(answer, attack, secrets), `${method} ${path}: ${answer.text}`).toEqual([]);
      if (answer.status === 200) answered += 1;
    }
    expect(answered).toBeGreaterThan(120);
    expect((await browser.call('GET', '/session')).body.workspace.id).toBe(b.workspaceId);
    await millrace.settled(b.adminKey);
    await services.pointsAwarder.idle();
    expect(await dumpWorkspace(services.db, a.workspaceId)).toEqual(before);
  });

  it('opens the Stripe portal of its own customer only', async () => {
    const open = async (key: string) => {
      const body = { return_url: 'https://shop.test/', customer: a.customerId };
      expect((await millrace.call('POST', '/billing/portal', body, { key })).status).toBe(200);
      return stripe.calls.at(-1)?.parameters['customer'];
    };
    expect(await open(b.adminKey)).toBe(b.customerId);
    const told = JSON.stringify(stripe.calls); // includes the calls of the tests above
    for (const secret of [a.marker, ...a.secretIds]) expect(told).not.toContain(secret);
    expect(await open(a.adminKey)).toBe(a.customerId);
  });

  it('has its own document under an id that another workspace uses', async () => {
    const own = {
      document: {
        id: SHARED_DOCUMENT,
        semantic_identifier: 'Own',
        sections: [{ text: 'Narwhals of the north.' }],
      },
    };
    await millrace.call('POST', '/service-api/ingestion', own, { key: b.adminKey });
    await millrace.settled(b.adminKey);
    const search = async (key: string, query: string) =>
      (
        await millrace.call('POST', '/search', { query, collapse: false }, { key })
      ).body.results.map((hit: { text: string }) => hit.text);
    expect(await search(b.adminKey, 'narwhals')).toEqual(['Narwhals of the north.']);
    expect(await search(a.adminKey, 'narwhals')).toEqual([]);
    expect(await search(a.adminKey, a.marker)).toHaveLength(a.documentIds.length);

    const path = `/service-api/ingestion/${SHARED_DOCUMENT}`;
    await millrace.call('DELETE', path, undefined, { key: b.adminKey });
    await millrace.settled(b.adminKey);
    expect((await millrace.call('GET', path, undefined, { key: b.adminKey })).status).toBe(404);
    const kept = await millrace.call('GET', path, undefined, { key: a.adminKey });
    expect(kept.body).toMatchObject({ status: 'indexed', cc_pair_ids: [a.pairId] });
  });
});
