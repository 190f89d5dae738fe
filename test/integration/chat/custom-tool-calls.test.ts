import { gzipSync } from 'node:zlib';
import { afterAll, beforeAll, beforeEach, describe, expect, it } from 'vitest';
import type { Tool } from '#src/chat/tools/tool.ts';
import {
  answerJson,
  type FakeOpenApiService,
  shopDocument,
  startFakeOpenApiService,
} from '#test/support/fake-openapi-service.ts';
import { type OutboundStage, startOutboundStage } from '#test/support/outbound-stage.ts';
import { failureOfTool, runTool, typesOf } from '#test/support/run-tool.ts';
import {
  type CallerHeaders,
  type Json,
  openToolTenant,
  type ToolTenant,
} from '#test/support/tool-tenant.ts';

const SECRET = 'shop-key-0123456789';
const PNG = Buffer.from('89504e470d0a1a0a0000000d49484452', 'hex');

let shop: FakeOpenApiService;
let stage: OutboundStage;
let owner: ToolTenant;
const opened = new AsyncDisposableStack();
beforeAll(async () => {
  shop = opened.use(await startFakeOpenApiService());
  stage = opened.use(await startOutboundStage([`${shop.host}/32`]));
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

describe('a call', () => {
  beforeEach(async () => {
    await addShop({ custom_headers: [{ key: 'X-Api-Key', value: SECRET }] });
  });

  it('carries the arguments and the administrator’s headers, and shows the JSON', async () => {
    shop.respond = (_, response) => answerJson(response, { id: 7, item: 'Ä' }, 201);
    const tool = await shopTool('createOrder');
    const { packets, result } = await runTool(tool, { body: { item: 'Ä', count: 2 } });
    expect(shop.calls).toMatchObject([
      {
        method: 'POST',
        url: '/v1/orders',
        body: '{"item":"Ä","count":2}',
        headers: { 'x-api-key': SECRET, 'content-type': 'application/json' },
      },
    ]);
    expect(packets).toEqual([
      { type: 'custom_tool_start', tool_name: 'createOrder', tool_id: tool.id },
      {
        type: 'custom_tool_delta',
        tool_name: 'createOrder',
        tool_id: tool.id,
        response_type: 'json',
        data: { id: 7, item: 'Ä' },
        file_ids: null,
        error: null,
      },
    ]);
    expect(result).toEqual({ text: '{"id":7,"item":"Ä"}', documents: [] });
  });

  it('never carries the caller’s authorization, unless the tool passes it on', async () => {
    const authorization = 'Bearer caller-token-12345';
    await runTool(await shopTool('listOrders', { authorization }), {});
    await addShop({ name: 'Second', passthrough_auth: true });
    await runTool(await shopTool('Second_listOrders', { authorization }), {});
    await runTool(await shopTool('Second_listOrders'), {});
    const sent = shop.calls.map(({ headers }) => headers.authorization);
    expect(sent).toEqual([undefined, authorization, undefined]);
  });

  it('with wrong arguments is not made, and the model is told why', async () => {
    const tool = await shopTool('listOrders');
    for (const input of [{ limit: 99 }, { 'X-Tenant': 'a' }, 'x', null]) {
      const failure = await failureOfTool(tool, input);
      expect(failure.cause).toMatchObject({ name: 'ToolFailed' });
      expect(failure.message).toContain('The arguments are wrong');
      expect(typesOf(failure.packets)).toEqual(['custom_tool_start']);
    }
    expect(shop.calls).toEqual([]);
  });

  it.each([
    [401, true],
    [403, true],
    [404, false],
    [429, false],
    [500, false],
  ])(
    'that is answered %i is an error packet, and the model is told the reason',
    async (status, isAuth) => {
      shop.respond = (_, response) => answerJson(response, { reason: `No ${SECRET}` }, status);
      const { packets, result } = await runTool(await shopTool('listOrders'), {});
      expect(packets[1]).toMatchObject({
        response_type: 'json',
        data: { reason: 'No [hidden]' },
        error: {
          is_auth_error: isAuth,
          status_code: status,
          message: `${shop.host} answered ${status}.`,
        },
      });
      expect(result.text).toContain(`answered ${status}`);
      expect(JSON.stringify([packets, result])).not.toContain(SECRET);
    },
  );

  it('never shows headers that a service repeats', async () => {
    shop.respond = ({ headers }, response) => answerJson(response, headers);
    const tool = await shopTool('listOrders');
    const { packets, result } = await runTool(tool, {});
    expect(JSON.stringify([packets, result])).not.toContain(SECRET);
    expect(result.text).toContain('[hidden]');
  });

  it('that returns a table stores it as a file of the user', async () => {
    shop.respond = (_, response) =>
      response.writeHead(200, { 'content-type': 'text/csv; charset=utf-8' }).end('a,b\n1,2\n');
    const { packets, result } = await runTool(await shopTool('listOrders'), {});
    expect(packets[1]).toMatchObject({
      response_type: 'csv',
      data: null,
      file_ids: [expect.any(String)],
    });
    expect(result.text).toContain('a,b\n1,2');
    const { file, bytes } = await owner.fileOf(packets[1]);
    expect([file.name, file.mediaType, bytes.toString()]).toEqual([
      'listOrders.csv',
      'text/csv',
      'a,b\n1,2\n',
    ]);
  });

  it.each([
    ['an image of type image/png', 'image/png'],
    ['an image of type text/plain', 'text/plain'],
  ])('that returns %s stores it as the image it is', async (_, type) => {
    shop.respond = (__, response) => response.writeHead(200, { 'content-type': type }).end(PNG);
    const { packets } = await runTool(await shopTool('listOrders'), {});
    expect(packets[1]).toMatchObject({ response_type: 'image', data: null });
    const { file, bytes } = await owner.fileOf(packets[1]);
    expect([file.mediaType, bytes.equals(PNG)]).toEqual(['image/png', true]);
  });

  it('that returns a page labelled as an image shows text', async () => {
    shop.respond = (_, response) =>
      response.writeHead(200, { 'content-type': 'image/svg+xml' }).end('<svg onload="x()"/>');
    const { packets } = await runTool(await shopTool('listOrders'), {});
    expect(packets[1]).toMatchObject({
      response_type: 'text',
      data: '<svg onload="x()"/>',
      file_ids: null,
    });
  });

  it.each<[string, Parameters<typeof answerBytes>, RegExp]>([
    ['nothing', [204, {}, Buffer.alloc(0)], /^\[Status 204, without content\.\]$/],
    [
      'bytes',
      [200, { 'content-type': 'application/pdf' }, Buffer.from([0, 255, 1])],
      /a file of the type application\/pdf with 3 bytes/,
    ],
    [
      'broken JSON',
      [200, { 'content-type': 'application/json' }, Buffer.from('{"a":')],
      /^\{"a":$/,
    ],
    [
      'JSON that is too deep',
      [200, {}, Buffer.from(`${'['.repeat(9_000)}${']'.repeat(9_000)}`)],
      /^\[{9000}/,
    ],
    [
      'text that is too long',
      [200, {}, Buffer.from('ä'.repeat(40_000))],
      /^ä{29999}…\n\[The answer was longer/,
    ],
    [
      'JSON that is too long',
      [200, {}, Buffer.from(JSON.stringify(Array(40_000).fill(1)))],
      /cut off here\.\]$/,
    ],
    ['more than the limit', [200, {}, Buffer.alloc(6_000_000, 'x')], /cut off here\.\]$/],
    [
      'a decompression bomb',
      [200, { 'content-encoding': 'gzip' }, gzipSync(Buffer.alloc(300_000_000, 'x'))],
      /cut off here\.\]$/,
    ],
  ])('that returns %s yields text of bounded length', async (_, answer, words) => {
    shop.respond = (__, response) => answerBytes(...answer)(response);
    const { packets, result } = await runTool(await shopTool('listOrders'), {});
    expect(packets[1]).toMatchObject({ response_type: 'text', error: null });
    expect(result.text).toMatch(words);
    expect(JSON.stringify(packets).length).toBeLessThan(40_000);
  });

  it('that is cut off returns what has arrived, and fails when nothing has', async () => {
    shop.respond = (_, response) => {
      response.writeHead(200, { 'content-length': '100' }).write('half');
      setImmediate(() => response.destroy());
    };
    const { result } = await runTool(await shopTool('listOrders'), {});
    expect(result.text).toContain('cut off here');
    shop.respond = (_, response) => void response.destroy();
    const failure = await failureOfTool(await shopTool('listOrders'), {});
    expect(failure.cause).toMatchObject({ name: 'ToolFailed' });
    expect(failure.message).toContain(shop.host);
  });

  it('ends when its answer ends', async () => {
    const asked = Promise.withResolvers<void>();
    shop.respond = () => asked.resolve();
    const stop = new AbortController();
    const failing = failureOfTool(await shopTool('listOrders'), {}, { signal: stop.signal });
    await asked.promise;
    stop.abort(new Error('The client has gone.'));
    expect((await failing).message).toBe('The client has gone.');
  });
});

function answerBytes(status: number, headers: Record<string, string>, bytes: Buffer) {
  return (response: Parameters<FakeOpenApiService['respond']>[1]): void =>
    void response.writeHead(status, headers).end(bytes);
}
