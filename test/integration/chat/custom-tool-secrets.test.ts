import { sql } from 'kysely';
import { afterAll, beforeAll, beforeEach, describe, expect, it } from 'vitest';
import type { Tool } from '#src/chat/tools/tool.ts';
import { createSecretBox } from '#src/platform/crypto.ts';
import {
  answerJson,
  type FakeOpenApiService,
  shopDocument,
  startFakeOpenApiService,
} from '#test/support/fake-openapi-service.ts';
import { FORBIDDEN_LITERALS, redirectTargetsTo } from '#test/support/forbidden-hosts.ts';
import { type OutboundStage, startOutboundStage } from '#test/support/outbound-stage.ts';
import { failureOfTool, runTool } from '#test/support/run-tool.ts';
import {
  type CallerHeaders,
  type Json,
  openToolTenant,
  type ToolTenant,
} from '#test/support/tool-tenant.ts';
import { startTripwire, type Tripwire } from '#test/support/tripwire.ts';

const SECRET = 'shop-key-0123456789';

let shop: FakeOpenApiService;
let other: FakeOpenApiService;
let inner: Tripwire;
let stage: OutboundStage;
let owner: ToolTenant;
const opened = new AsyncDisposableStack();
beforeAll(async () => {
  shop = opened.use(await startFakeOpenApiService());
  other = opened.use(await startFakeOpenApiService());
  inner = opened.use(await startTripwire([0]));
  stage = opened.use(await startOutboundStage([`${shop.host}/32`, `${other.host}/32`]));
});
afterAll(() => opened.disposeAsync());
beforeEach(async () => {
  shop.calls.length = 0;
  shop.respond = (_, response) => answerJson(response, {});
  owner = await openToolTenant(stage.millrace);
});

const shopBody = (more: object = {}) => ({
  name: 'Shop',
  description: 'Orders of the shop',
  definition: shopDocument(shop.url),
  ...more,
});
const addShop = (more: object = {}, by = owner): Promise<Json> =>
  by.add('/admin/tool/custom', shopBody(more));
const shopTool = async (name: string, caller: CallerHeaders = {}): Promise<Tool> =>
  (await owner.load(null, caller)).of(name);

describe('the headers of a custom tool', () => {
  it('go only to the servers they were entered for', async () => {
    const { id } = await addShop({ custom_headers: [{ key: 'X-Api-Key', value: SECRET }] });
    const path = `/admin/tool/custom/${id}`;
    const definition = shopDocument(other.url);
    for (const headers of [undefined, [{ key: 'X-Api-Key', value: 'shop...6789' }]]) {
      const refused = await owner.call('PUT', path, { definition, custom_headers: headers });
      expect([refused.status, refused.text.includes(SECRET)]).toEqual([400, false]);
    }
    const moved = await owner.call('PUT', path, { definition, custom_headers: [] });
    expect([moved.status, moved.body.custom_headers]).toEqual([200, []]);
  });

  it('are stored encrypted and bound to their row', async () => {
    const { id } = await addShop({ custom_headers: [{ key: 'X-Api-Key', value: SECRET }] });
    const { rows } = await sql<{ row: string; sealed_headers: string }>`
      select custom_tool::text as row, sealed_headers from custom_tool
      where id = ${id}`.execute(stage.millrace.services.db);
    expect(rows[0]?.row).not.toContain(SECRET);
    const open = (name: string) =>
      stage.millrace.services.secrets.open(rows[0]?.sealed_headers ?? '', name);
    expect(open(`custom_tool:${id}`)).toContain(SECRET);
    expect(() => open(`custom_tool:${id + 1}`)).toThrow();
  });

  it('that cannot be decrypted any more are reported and can be entered again', async () => {
    const { id } = await addShop({ custom_headers: [{ key: 'X-Api-Key', value: SECRET }] });
    const sealed = createSecretBox([Buffer.alloc(32, 7)]).seal('[]', `custom_tool:${id}`);
    await sql`update custom_tool set sealed_headers = ${sealed} where id = ${id}`.execute(
      stage.millrace.services.db,
    );
    expect((await owner.call('GET', `/tool/${id}`)).body.custom_headers).toBeNull();
    const { message } = await failureOfTool(await shopTool('listOrders'), {});
    expect(message).toContain('must enter them again');
    expect(shop.calls).toEqual([]);
    const headers = [{ key: 'X-Api-Key', value: SECRET }];
    await owner.call('PUT', `/admin/tool/custom/${id}`, { custom_headers: headers });
    await runTool(await shopTool('listOrders'), {});
    expect(shop.calls[0]?.headers['x-api-key']).toBe(SECRET);
  });
});

describe('the address of a service', () => {
  it('is refused on save when it is forbidden', async () => {
    const wrong: unknown[] = [];
    for (const { host, why } of FORBIDDEN_LITERALS) {
      const definition = shopDocument(`http://${host}:${inner.ports[0]}`);
      const { status, body } = await owner.call(
        'POST',
        '/admin/tool/custom',
        shopBody({ definition }),
      );
      if (status !== 400 || !/definition\.servers/.test(body.detail))
        wrong.push({ host, why, body });
    }
    expect(wrong).toEqual([]);
    expect(inner.connections).toBe(0);
  });

  it('is refused at the time of the call when its name has moved to an internal address', async () => {
    stage.resolver.set('rebound.example', [['93.184.216.34'], [inner.address]]);
    const definition = shopDocument(`http://rebound.example:${inner.ports[0]}`);
    await addShop({ definition });
    const failure = await failureOfTool(await shopTool('listOrders'), {});
    expect(failure.message).toContain('rebound.example resolves to an address that is not public');
    expect(failure.message).not.toContain(inner.address);
    expect(inner.connections).toBe(0);
  });

  it('cannot redirect a call to an internal address or send headers to another service', async () => {
    await addShop({ custom_headers: [{ key: 'X-Api-Key', value: SECRET }] });
    const tool = await shopTool('listOrders');
    const port = inner.ports[0] ?? 0;
    for (const { target, why } of redirectTargetsTo({ address: inner.address, port })) {
      const location = Buffer.from(target).toString('latin1');
      shop.respond = (_, response) => void response.writeHead(307, { location }).end();
      const failure = await failureOfTool(tool, {});
      expect(failure.cause, why).toMatchObject({ name: 'ToolFailed' });
    }
    expect(inner.connections).toBe(0);
    shop.respond = (_, response) =>
      void response.writeHead(302, { location: `${other.url}/x` }).end();
    await runTool(tool, {});
    expect(other.calls.at(-1)).toMatchObject({ url: '/x' });
    expect(JSON.stringify(other.calls.at(-1))).not.toContain(SECRET);
  });
});
