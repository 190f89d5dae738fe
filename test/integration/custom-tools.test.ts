import { gzipSync } from 'node:zlib';
import { sql } from 'kysely';
import { afterAll, beforeAll, beforeEach, describe, expect, it } from 'vitest';
import { loadCustomTools } from '#src/chat/custom-tools/load-custom-tools.ts';
import type { Tool } from '#src/chat/tools/tool.ts';
import type { StoredFileId, UserId, WorkspaceId } from '#src/ids.ts';
import { createSecretBox } from '#src/platform/crypto.ts';
import {
  answerJson,
  type FakeOpenApiService,
  shopDocument,
  startFakeOpenApiService,
} from '#test/support/fake-openapi-service.ts';
import { FORBIDDEN_LITERALS, redirectTargetsTo } from '#test/support/forbidden-hosts.ts';
import { type OutboundStage, startOutboundStage } from '#test/support/outbound-doors.ts';
import { failureOfTool, runTool, typesOf } from '#test/support/run-tool.ts';
import { createKey, ownerOf } from '#test/support/seed-workspace.ts';
import { startTripwire, type Tripwire } from '#test/support/tripwire.ts';

const SECRET = 'shop-key-0123456789';
const PNG = Buffer.from('89504e470d0a1a0a0000000d49484452', 'hex');

let shop: FakeOpenApiService;
let other: FakeOpenApiService;
let inner: Tripwire;
let stage: OutboundStage;
let owner: Tenant;
let stranger: Tenant;
const opened = new AsyncDisposableStack();

interface Tenant {
  workspaceId: WorkspaceId;
  userId: UserId;
  key: string;
  call(method: string, path: string, body?: unknown): ReturnType<OutboundStage['millrace']['call']>;
}

async function openTenant(): Promise<Tenant> {
  const { workspaceId, key } = await stage.millrace.createWorkspace();
  const id = workspaceId as WorkspaceId; // as the API gave it
  return {
    workspaceId: id,
    userId: (await ownerOf(stage.millrace.services.db, workspaceId)) as UserId,
    key,
    call: (method, path, body) => stage.millrace.call(method, path, body, { key }),
  };
}

beforeAll(async () => {
  shop = opened.use(await startFakeOpenApiService());
  other = opened.use(await startFakeOpenApiService());
  inner = opened.use(await startTripwire([0]));
  stage = opened.use(await startOutboundStage([`${shop.host}/32`, `${other.host}/32`]));
  stranger = await openTenant();
});
afterAll(() => opened.disposeAsync());
beforeEach(async () => {
  shop.calls.length = 0;
  shop.respond = (_, response) => answerJson(response, {});
  owner = await openTenant();
});

const shopTool = (more: object = {}) => ({
  name: 'Shop',
  description: 'Orders of the shop',
  definition: shopDocument(shop.url),
  ...more,
});

async function add(more: object = {}, by = owner): Promise<any> {
  const { status, body } = await by.call('POST', '/admin/tool/custom', shopTool(more));
  expect([status, body.detail]).toEqual([200, undefined]);
  return body;
}

async function load(
  ids: readonly number[] | null = null,
  caller: { authorization?: string } = {},
  by = owner,
): Promise<Tool[]> {
  const { tools } = await loadCustomTools(
    stage.millrace.services,
    {
      workspaceId: by.workspaceId,
      userId: by.userId,
      authorization: caller.authorization ?? null,
      mcpHeaders: null,
    },
    ids,
  );
  return tools;
}

async function toolNamed(name: string, caller: { authorization?: string } = {}): Promise<Tool> {
  const found = (await load(null, caller)).find((tool) => tool.name === name);
  if (!found) throw new Error(`There is no tool ${name}.`);
  return found;
}

describe('a custom tool', () => {
  it('is made, listed, found, changed and deleted; its headers are shown masked', async () => {
    const made = await add({ custom_headers: [{ key: 'X-Api-Key', value: SECRET }] });
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
    await runTool(await toolNamed('listOrders'), {});
    expect(shop.calls[0]?.headers['x-api-key']).toBe(SECRET);

    const deleted = await owner.call('DELETE', `/admin/tool/custom/${made.id}`);
    expect([deleted.status, deleted.body]).toEqual([200, null]);
    expect((await owner.call('GET', `/tool/${made.id}`)).status).toBe(404);
    expect(await load()).toEqual([]);
  });

  it('of somebody else is nowhere', async () => {
    const { id } = await add();
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
    expect(await load([id], {}, stranger)).toEqual([]);
    expect((await owner.call('GET', `/tool/${id}`)).body).toMatchObject({
      name: 'Shop',
      enabled: true,
    });
  });

  it('shows those who are no administrators neither its headers nor what is switched off', async () => {
    const shown = await add({ custom_headers: [{ key: 'X-Api-Key', value: SECRET }] });
    const hidden = await add({ name: 'Hidden', enabled: false });
    const { key } = await createKey(stage.millrace, owner.key, 'read');
    const asReader = (path: string) => stage.millrace.call('GET', path, undefined, { key });
    const { body } = await asReader('/tool/openapi');
    expect(body).toEqual([{ ...shown, custom_headers: null }]);
    expect((await asReader(`/tool/${hidden.id}`)).status).toBe(404);
    const forbidden = await stage.millrace.call('POST', '/admin/tool/custom', shopTool(), { key });
    expect(forbidden.status).toBe(403);
  });

  it.each<[string, object, string]>([
    ['without a definition', { definition: undefined }, 'body.definition'],
    ['without a name', { name: '  ' }, 'body.name'],
    ['with a NUL in its name', { name: 'a\0b' }, 'body.name'],
    ['with a configuration for OAuth', { oauth_config_id: 1 }, 'body.oauth_config_id'],
    ['with the header Host', { custom_headers: [{ key: 'Host', value: 'x' }] }, 'cannot be set'],
    ['with a line break', { custom_headers: [{ key: 'X', value: 'a\r\nY: b' }] }, 'one line'],
    ['with a wrong header', { custom_headers: [{ key: 'X Y', value: 'a' }] }, 'name of a header'],
    [
      'with a header twice',
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
      'with two authorizations',
      { passthrough_auth: true, custom_headers: [{ key: 'authorization', value: 'Bearer x' }] },
      'cannot be combined',
    ],
    ['with a bad document', { definition: { openapi: '3.1.0' } }, 'body.definition.paths'],
  ])('%s is refused and leaves nothing', async (_, more, words) => {
    const refused = await owner.call('POST', '/admin/tool/custom', shopTool(more));
    expect([refused.status, refused.body.error_code]).toEqual([400, 'BAD_REQUEST']);
    expect(refused.body.detail).toContain(words);
    expect(refused.text).not.toContain('a\r\nY');
    expect((await owner.call('GET', '/tool/openapi')).body).toEqual([]);
  });

  it('needs a name of its own in its workspace', async () => {
    await add();
    const second = await owner.call('POST', '/admin/tool/custom', shopTool());
    expect([second.status, second.body.error_code]).toEqual([409, 'CONFLICT']);
    await add({}, await openTenant());
    const third = await add({ name: 'Third' });
    const renamed = await owner.call('PUT', `/admin/tool/custom/${third.id}`, { name: 'Shop' });
    expect(renamed.status).toBe(409);
  });

  it('is refused above 50 of a workspace, however many come at once', async () => {
    const answers = await Promise.all(
      Array.from({ length: 55 }, (_, n) =>
        owner.call('POST', '/admin/tool/custom', shopTool({ name: `Shop ${n}` })),
      ),
    );
    const statuses = Map.groupBy(answers, ({ status }) => status);
    expect([statuses.get(200)?.length, statuses.get(409)?.length]).toEqual([50, 5]);
    expect(statuses.get(409)?.[0]?.body.detail).toContain('50 custom tools');
    expect(await load()).toHaveLength(100);
  });

  it('keeps its headers to the servers that they were entered for', async () => {
    const { id } = await add({ custom_headers: [{ key: 'X-Api-Key', value: SECRET }] });
    const path = `/admin/tool/custom/${id}`;
    const definition = shopDocument(other.url);
    for (const headers of [undefined, [{ key: 'X-Api-Key', value: 'shop...6789' }]]) {
      const refused = await owner.call('PUT', path, { definition, custom_headers: headers });
      expect([refused.status, refused.text.includes(SECRET)]).toEqual([400, false]);
    }
    const moved = await owner.call('PUT', path, { definition, custom_headers: [] });
    expect([moved.status, moved.body.custom_headers]).toEqual([200, []]);
  });

  it('is in the database with its headers sealed for its row', async () => {
    const { id } = await add({ custom_headers: [{ key: 'X-Api-Key', value: SECRET }] });
    const { rows } = await sql<{ row: string; sealed_headers: string }>`
      select custom_tool::text as row, sealed_headers from custom_tool
      where id = ${id}`.execute(stage.millrace.services.db);
    expect(rows[0]?.row).not.toContain(SECRET);
    const open = (name: string) =>
      stage.millrace.services.secrets.open(rows[0]?.sealed_headers ?? '', name);
    expect(open(`custom_tool:${id}`)).toContain(SECRET);
    expect(() => open(`custom_tool:${id + 1}`)).toThrow();
  });

  it('whose headers cannot be read any more says so, is listed, and takes new ones', async () => {
    const { id } = await add({ custom_headers: [{ key: 'X-Api-Key', value: SECRET }] });
    const sealed = createSecretBox(Buffer.alloc(32, 7)).seal('[]', `custom_tool:${id}`);
    await sql`update custom_tool set sealed_headers = ${sealed} where id = ${id}`.execute(
      stage.millrace.services.db,
    );
    expect((await owner.call('GET', `/tool/${id}`)).body.custom_headers).toBeNull();
    const { message } = await failureOfTool(await toolNamed('listOrders'), {});
    expect(message).toContain('must enter them again');
    expect(shop.calls).toEqual([]);
    const headers = [{ key: 'X-Api-Key', value: SECRET }];
    await owner.call('PUT', `/admin/tool/custom/${id}`, { custom_headers: headers });
    await runTool(await toolNamed('listOrders'), {});
    expect(shop.calls[0]?.headers['x-api-key']).toBe(SECRET);
  });

  it('is checked without being kept', async () => {
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
  it('are one for each operation, all with the id of their document', async () => {
    const { id } = await add();
    const off = await add({ name: 'Off', enabled: false });
    const tools = await load();
    expect(tools.map((tool) => [tool.name, tool.id])).toEqual([
      ['listOrders', id],
      ['createOrder', id],
      ['get_order', id],
      ['delete_orders_id', id],
    ]);
    expect(tools[0]).toMatchObject({ description: 'Lists orders', mergedBy: null, isLast: false });
    expect(await load([id])).toHaveLength(4);
    for (const ids of [[], [1, 2, 3], [off.id], [id + 1_000], [1.5, -1, 2 ** 40]]) {
      expect(await load(ids)).toEqual([]);
    }
  });

  it('have names of their own across documents', async () => {
    await add();
    await add({ name: 'Second shop' });
    const names = (await load()).map(({ name }) => name);
    expect(names).toContain('Second_shop_listOrders');
    expect(new Set(names).size).toBe(8);
  });
});

describe('a call', () => {
  beforeEach(async () => {
    await add({ custom_headers: [{ key: 'X-Api-Key', value: SECRET }] });
  });

  it('carries the arguments and the headers of the administrator, and shows the JSON', async () => {
    shop.respond = (_, response) => answerJson(response, { id: 7, item: 'Ä' }, 201);
    const tool = await toolNamed('createOrder');
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

  it('never carries the authorization of the caller, unless the tool passes it on', async () => {
    const authorization = 'Bearer caller-token-12345';
    await runTool(await toolNamed('listOrders', { authorization }), {});
    await add({ name: 'Second', passthrough_auth: true });
    await runTool(await toolNamed('Second_listOrders', { authorization }), {});
    await runTool(await toolNamed('Second_listOrders'), {});
    const sent = shop.calls.map(({ headers }) => headers.authorization);
    expect(sent).toEqual([undefined, authorization, undefined]);
  });

  it('with wrong arguments is told to the model and not made', async () => {
    const tool = await toolNamed('listOrders');
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
    'that is answered %i is an error packet, and the model hears the words',
    async (status, isAuth) => {
      shop.respond = (_, response) => answerJson(response, { reason: `No ${SECRET}` }, status);
      const { packets, result } = await runTool(await toolNamed('listOrders'), {});
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

  it('shows nobody the headers that a service repeats', async () => {
    shop.respond = ({ headers }, response) => answerJson(response, headers);
    const tool = await toolNamed('listOrders');
    const { packets, result } = await runTool(tool, {});
    expect(JSON.stringify([packets, result])).not.toContain(SECRET);
    expect(result.text).toContain('[hidden]');
  });

  it('that brings a table stores it as a file of the user', async () => {
    shop.respond = (_, response) =>
      response.writeHead(200, { 'content-type': 'text/csv; charset=utf-8' }).end('a,b\n1,2\n');
    const { packets, result } = await runTool(await toolNamed('listOrders'), {});
    expect(packets[1]).toMatchObject({
      response_type: 'csv',
      data: null,
      file_ids: [expect.any(String)],
    });
    expect(result.text).toContain('a,b\n1,2');
    const { file, bytes } = await storedFile(packets[1]);
    expect([file.name, file.mediaType, bytes.toString()]).toEqual([
      'listOrders.csv',
      'text/csv',
      'a,b\n1,2\n',
    ]);
  });

  it.each([
    ['an image that says what it is', 'image/png'],
    ['an image that says that it is text', 'text/plain'],
  ])('that brings %s stores it by its content', async (_, type) => {
    shop.respond = (__, response) => response.writeHead(200, { 'content-type': type }).end(PNG);
    const { packets } = await runTool(await toolNamed('listOrders'), {});
    expect(packets[1]).toMatchObject({ response_type: 'image', data: null });
    const { file, bytes } = await storedFile(packets[1]);
    expect([file.mediaType, bytes.equals(PNG)]).toEqual(['image/png', true]);
  });

  it('that brings a page which says that it is an image shows text', async () => {
    shop.respond = (_, response) =>
      response.writeHead(200, { 'content-type': 'image/svg+xml' }).end('<svg onload="x()"/>');
    const { packets } = await runTool(await toolNamed('listOrders'), {});
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
      'too long a text',
      [200, {}, Buffer.from('ä'.repeat(40_000))],
      /^ä{29999}…\n\[The answer was longer/,
    ],
    [
      'too long a JSON',
      [200, {}, Buffer.from(JSON.stringify(Array(40_000).fill(1)))],
      /cut off here\.\]$/,
    ],
    ['more than it may', [200, {}, Buffer.alloc(6_000_000, 'x')], /cut off here\.\]$/],
    [
      'a bomb',
      [200, { 'content-encoding': 'gzip' }, gzipSync(Buffer.alloc(300_000_000, 'x'))],
      /cut off here\.\]$/,
    ],
  ])('that brings %s is told as text of bounded length', async (_, answer, words) => {
    shop.respond = (__, response) => answerBytes(...answer)(response);
    const { packets, result } = await runTool(await toolNamed('listOrders'), {});
    expect(packets[1]).toMatchObject({ response_type: 'text', error: null });
    expect(result.text).toMatch(words);
    expect(JSON.stringify(packets).length).toBeLessThan(40_000);
  });

  it('that is cut off by a hang-up tells what there was, and one without an answer fails', async () => {
    shop.respond = (_, response) => {
      response.writeHead(200, { 'content-length': '100' }).write('half');
      setImmediate(() => response.destroy());
    };
    const { result } = await runTool(await toolNamed('listOrders'), {});
    expect(result.text).toContain('cut off here');
    shop.respond = (_, response) => void response.destroy();
    const failure = await failureOfTool(await toolNamed('listOrders'), {});
    expect(failure.cause).toMatchObject({ name: 'ToolFailed' });
    expect(failure.message).toContain(shop.host);
  });

  it('ends with the answer that it is for', async () => {
    const asked = Promise.withResolvers<void>();
    shop.respond = () => asked.resolve();
    const stop = new AbortController();
    const failing = failureOfTool(await toolNamed('listOrders'), {}, { signal: stop.signal });
    await asked.promise;
    stop.abort(new Error('The client has gone.'));
    expect((await failing).message).toBe('The client has gone.');
  });
});

function answerBytes(status: number, headers: Record<string, string>, bytes: Buffer) {
  return (response: Parameters<FakeOpenApiService['respond']>[1]): void =>
    void response.writeHead(status, headers).end(bytes);
}

async function storedFile(packet: unknown) {
  const [id] = (packet as { file_ids: StoredFileId[] }).file_ids;
  const { files } = stage.millrace.services;
  if (id === undefined) throw new Error('There is no file.');
  expect(await files.find(stranger.workspaceId, id)).toBeNull();
  const found = await files.read(owner.workspaceId, id);
  if (!found) throw new Error('The file is not stored.');
  return found;
}

describe('the address of a service', () => {
  it('that nobody may reach is refused as it is saved', async () => {
    const wrong: unknown[] = [];
    for (const { host, why } of FORBIDDEN_LITERALS) {
      const definition = shopDocument(`http://${host}:${inner.ports[0]}`);
      const { status, body } = await owner.call(
        'POST',
        '/admin/tool/custom',
        shopTool({ definition }),
      );
      if (status !== 400 || !/definition\.servers/.test(body.detail))
        wrong.push({ host, why, body });
    }
    expect(wrong).toEqual([]);
    expect(inner.connections).toBe(0);
  });

  it('that leads inside by the time of the call is refused there', async () => {
    stage.resolver.set('rebound.example', [['93.184.216.34'], [inner.address]]);
    const definition = shopDocument(`http://rebound.example:${inner.ports[0]}`);
    await add({ definition });
    const failure = await failureOfTool(await toolNamed('listOrders'), {});
    expect(failure.message).toContain('rebound.example resolves to an address that is not public');
    expect(failure.message).not.toContain(inner.address);
    expect(inner.connections).toBe(0);
  });

  it('sends nobody inside by a redirect, and nobody the headers of another', async () => {
    await add({ custom_headers: [{ key: 'X-Api-Key', value: SECRET }] });
    const tool = await toolNamed('listOrders');
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

describe('GET /tool', () => {
  it('lists what this install has, and says what needs a model', async () => {
    const { body } = await owner.call('GET', '/tool');
    expect(
      body.map((tool: any) => [tool.id, tool.in_code_tool_id, tool.name, tool.enabled]),
    ).toEqual([
      [1, 'SearchTool', 'internal_search', true],
      [3, 'OpenURLTool', 'open_url', false],
      [5, 'PythonTool', 'python', false],
    ]);
    expect(body[0]).toEqual({
      id: 1,
      name: 'internal_search',
      description: expect.any(String),
      definition: null,
      display_name: 'Internal Search',
      in_code_tool_id: 'SearchTool',
      custom_headers: null,
      passthrough_auth: false,
      mcp_server_id: null,
      user_id: null,
      oauth_config_id: null,
      oauth_config_name: null,
      enabled: true,
      chat_selectable: true,
      agent_creation_selectable: true,
      default_enabled: true,
    });
    expect(body[1].description).toContain('LLM_BASE_URL');
    expect((await owner.call('GET', '/tool/3')).body).toEqual(body[1]);
    expect((await owner.call('GET', '/tool/2')).status).toBe(404);
    expect((await owner.call('GET', '/tool/99999')).status).toBe(404);
    expect((await owner.call('GET', '/tool/openapi')).body).toEqual([]);
  });

  it('lists web search, images and Python as the settings say', async () => {
    await using configured = await startOutboundStage([], {
      LLM_BASE_URL: 'http://127.0.0.1:9',
      LLM_MODEL: 'm',
      IMAGE_MODEL: 'i',
      LEAD_SEARCH_PROVIDER: 'brave',
      BRAVE_API_KEY: 'k',
      PYTHON_TOOL: 'false',
    });
    const { body } = await configured.millrace.call('GET', '/tool');
    expect(body.map((tool: any) => [tool.id, tool.enabled, tool.chat_selectable])).toEqual([
      [1, true, true],
      [2, true, true],
      [3, true, false],
      [4, true, true],
    ]);
    expect(JSON.stringify(body)).not.toContain('LLM_');
  });
});
