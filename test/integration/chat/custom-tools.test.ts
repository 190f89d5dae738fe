// @module-tag smoke
import { afterAll, beforeAll, beforeEach, describe, expect, it } from 'vitest';
import {
  answerJson,
  type FakeOpenApiService,
  shopDocument,
  startFakeOpenApiService,
} from '#test/support/fake-openapi-service.ts';
import { type OutboundStage, startOutboundStage } from '#test/support/outbound-stage.ts';
import { runTool } from '#test/support/run-tool.ts';
import { createKey } from '#test/support/seed-workspace.ts';
import { type Json, openToolTenant, type ToolTenant } from '#test/support/tool-tenant.ts';

const SECRET = 'shop-key-0123456789';

let shop: FakeOpenApiService;
let stage: OutboundStage;
let owner: ToolTenant;
let stranger: ToolTenant;
const opened = new AsyncDisposableStack();
beforeAll(async () => {
  shop = opened.use(await startFakeOpenApiService());
  stage = opened.use(await startOutboundStage([`${shop.host}/32`]));
  stranger = await openToolTenant(stage.millrace);
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

describe('a custom tool', () => {
  it('is created, listed, found, changed and deleted; its headers are shown masked', async () => {
    const made = await addShop({ custom_headers: [{ key: 'X-Api-Key', value: SECRET }] });
    expect(made).toEqual({
      id: expect.any(Number),
      name: 'Shop',
      description: 'Orders of the shop',
      definition: shopDocument(shop.url),
      display_name: 'Shop',
      in_code_tool_id: null,
      custom_headers: [{ key: 'X-Api-Key', value: 'shop...6789' }],
      passthrough_auth: false,
      mcp_server_id: null,
      user_id: owner.userId,
      oauth_config_id: null,
      oauth_config_name: null,
      enabled: true,
      chat_selectable: false,
      agent_creation_selectable: true,
      default_enabled: true,
    });
    expect(made.id).toBeGreaterThanOrEqual(1000);
    expect((await owner.call('GET', `/tool/${made.id}`)).body).toEqual(made);
    expect((await owner.call('GET', '/tool/openapi')).body).toEqual([made]);
    expect((await owner.call('GET', '/tool')).body.at(-1)).toEqual(made);

    const changed = await owner.call('PUT', `/admin/tool/custom/${made.id}`, {
      description: 'All of it',
      custom_headers: made.custom_headers,
    });
    expect(changed.body).toEqual({ ...made, description: 'All of it' });
    await runTool((await owner.load()).of('listOrders'), {});
    expect(shop.calls[0]?.headers['x-api-key']).toBe(SECRET);

    const deleted = await owner.call('DELETE', `/admin/tool/custom/${made.id}`);
    expect([deleted.status, deleted.body]).toEqual([200, null]);
    expect((await owner.call('GET', `/tool/${made.id}`)).status).toBe(404);
    expect((await owner.load()).tools).toEqual([]);
  });

  it('does not exist for other workspaces', async () => {
    const { id } = await addShop();
    for (const [method, path, body] of [
      ['GET', `/tool/${id}`, undefined],
      ['PUT', `/admin/tool/custom/${id}`, { name: 'Mine', enabled: false }],
      ['DELETE', `/admin/tool/custom/${id}`, undefined],
    ] as const) {
      const answer = await stranger.call(method, path, body);
      expect([answer.status, answer.body.error_code], `${method} ${path}`).toEqual([
        404,
        'NOT_FOUND',
      ]);
    }
    expect((await stranger.call('GET', '/tool')).text).not.toContain(shop.host);
    expect((await stranger.call('GET', '/tool/openapi')).body).toEqual([]);
    expect((await stranger.load([id])).tools).toEqual([]);
    expect((await owner.call('GET', `/tool/${id}`)).body).toMatchObject({
      name: 'Shop',
      enabled: true,
    });
  });

  it('hides its headers and disabled tools from non-administrators', async () => {
    const shown = await addShop({ custom_headers: [{ key: 'X-Api-Key', value: SECRET }] });
    const hidden = await addShop({ name: 'Hidden', enabled: false });
    const { key } = await createKey(stage.millrace, owner.key, 'read');
    const asReader = (path: string) => stage.millrace.call('GET', path, undefined, { key });
    const { body } = await asReader('/tool/openapi');
    expect(body).toEqual([{ ...shown, custom_headers: null }]);
    expect((await asReader(`/tool/${hidden.id}`)).status).toBe(404);
    const forbidden = await stage.millrace.call('POST', '/admin/tool/custom', shopBody(), { key });
    expect(forbidden.status).toBe(403);
  });

  it.each<[string, object, string]>([
    ['without a definition', { definition: undefined }, 'body.definition'],
    ['with a blank name', { name: '  ' }, 'body.name'],
    ['with a NUL in its name', { name: 'a\0b' }, 'body.name'],
    ['with a configuration for OAuth', { oauth_config_id: 1 }, 'body.oauth_config_id'],
    ['with the header Host', { custom_headers: [{ key: 'Host', value: 'x' }] }, 'cannot be set'],
    [
      'with a line break in a header',
      { custom_headers: [{ key: 'X', value: 'a\r\nY: b' }] },
      'one line',
    ],
    [
      'with a space in a header name',
      { custom_headers: [{ key: 'X Y', value: 'a' }] },
      'name of a header',
    ],
    [
      'with the same header twice',
      {
        custom_headers: [
          { key: 'X', value: 'a' },
          { key: 'x', value: 'b' },
        ],
      },
      'each header once',
    ],
    ['with a masked header', { custom_headers: [{ key: 'X', value: 'shop...6789' }] }, 'masked'],
    [
      'with two kinds of authorization',
      { passthrough_auth: true, custom_headers: [{ key: 'authorization', value: 'Bearer x' }] },
      'cannot be combined',
    ],
    ['with an invalid definition', { definition: { openapi: '3.1.0' } }, 'body.definition.paths'],
  ])('%s is refused and nothing is stored', async (_, more, words) => {
    const refused = await owner.call('POST', '/admin/tool/custom', shopBody(more));
    expect([refused.status, refused.body.error_code]).toEqual([400, 'BAD_REQUEST']);
    expect(refused.body.detail).toContain(words);
    expect(refused.text).not.toContain('a\r\nY');
    expect((await owner.call('GET', '/tool/openapi')).body).toEqual([]);
  });

  it('needs a unique name in its workspace', async () => {
    await addShop();
    const second = await owner.call('POST', '/admin/tool/custom', shopBody());
    expect([second.status, second.body.error_code]).toEqual([409, 'CONFLICT']);
    await addShop({}, await openToolTenant(stage.millrace));
    const third = await addShop({ name: 'Third' });
    const renamed = await owner.call('PUT', `/admin/tool/custom/${third.id}`, { name: 'Shop' });
    expect(renamed.status).toBe(409);
  });

  it('is refused above 50 per workspace, however many come at once', async () => {
    const answers = await Promise.all(
      Array.from({ length: 55 }, (_, n) =>
        owner.call('POST', '/admin/tool/custom', shopBody({ name: `Shop ${n}` })),
      ),
    );
    const statuses = Map.groupBy(answers, ({ status }) => status);
    expect([statuses.get(200)?.length, statuses.get(409)?.length]).toEqual([50, 5]);
    expect(statuses.get(409)?.[0]?.body.detail).toContain('50 custom tools');
    expect((await owner.load()).tools).toHaveLength(100);
  });

  it('can be validated without being stored', async () => {
    const { status, body } = await owner.call('POST', '/admin/tool/custom/validate', {
      definition: shopDocument('https://shop.example'),
    });
    expect([status, body.methods.length]).toEqual([200, 4]);
    expect(body.methods[2]).toMatchObject({
      name: 'get_order',
      method: 'get',
      path: '/orders/{id}',
    });
    const wrong = await owner.call('POST', '/admin/tool/custom/validate', {
      definition: { openapi: '3.0.0', paths: { '/a': { get: { parameters: [{}] } } } },
    });
    expect(wrong.status).toBe(400);
    expect(wrong.body.detail).toContain('body.definition.paths./a.get.parameters[0]');
    expect((await owner.call('GET', '/tool/openapi')).body).toEqual([]);
  });
});

describe('the tools of a workspace', () => {
  it('are one per operation, all with the id of their definition', async () => {
    const { id } = await addShop();
    const off = await addShop({ name: 'Off', enabled: false });
    const { tools } = await owner.load();
    expect(tools.map((tool) => [tool.name, tool.id])).toEqual([
      ['listOrders', id],
      ['createOrder', id],
      ['get_order', id],
      ['delete_orders_id', id],
    ]);
    expect(tools[0]).toMatchObject({ description: 'Lists orders', mergedBy: null, isLast: false });
    expect((await owner.load([id])).tools).toHaveLength(4);
    for (const ids of [[], [1, 2, 3], [off.id], [id + 1_000], [1.5, -1, 2 ** 40]]) {
      expect((await owner.load(ids)).tools).toEqual([]);
    }
  });

  it('have unique names across definitions', async () => {
    await addShop();
    await addShop({ name: 'Second shop' });
    const names = (await owner.load()).tools.map(({ name }) => name);
    expect(names).toContain('Second_shop_listOrders');
    expect(new Set(names).size).toBe(8);
  });
});
