import type { IncomingMessage, ServerResponse } from 'node:http';
import type { McpServer } from '@modelcontextprotocol/sdk/server/mcp.js';
import { sql } from 'kysely';
import { afterAll, beforeAll, beforeEach, describe, expect, it } from 'vitest';
import { z } from 'zod';
import { loadCustomTools } from '#src/chat/custom-tools/load-custom-tools.ts';
import type { Tool } from '#src/chat/tools/tool.ts';
import type { StoredFileId, UserId, WorkspaceId } from '#src/ids.ts';
import { type FakeMcpServer, startFakeMcpServer } from '#test/support/fake-mcp-server.ts';
import { FORBIDDEN_LITERALS, redirectTargetsTo } from '#test/support/forbidden-hosts.ts';
import { type OutboundStage, startOutboundStage } from '#test/support/outbound-doors.ts';
import { failureOfTool, runTool } from '#test/support/run-tool.ts';
import { ownerOf } from '#test/support/seed-workspace.ts';
import { startTripwire, type Tripwire } from '#test/support/tripwire.ts';

const PATH = '/admin/mcp/servers';
const SECRET = 'Bearer mcp-key-0123456789';
const PNG = Buffer.from('89504e470d0a1a0a0000000d49484452', 'hex');

let server: FakeMcpServer;
let inner: Tripwire;
let stage: OutboundStage;
let owner: Tenant;
let stranger: Tenant;
const opened = new AsyncDisposableStack();

interface Tenant {
  workspaceId: WorkspaceId;
  userId: UserId;
  call(method: string, path: string, body?: unknown): ReturnType<OutboundStage['millrace']['call']>;
}

async function openTenant(): Promise<Tenant> {
  const { workspaceId, key } = await stage.millrace.createWorkspace();
  return {
    workspaceId: workspaceId as WorkspaceId, // as the API gave it
    userId: (await ownerOf(stage.millrace.services.db, workspaceId)) as UserId,
    call: (method, path, body) => stage.millrace.call(method, path, body, { key }),
  };
}

function registerWeather(mcp: McpServer): void {
  mcp.registerTool(
    'forecast',
    {
      title: 'Forecast',
      description: 'Tells the weather',
      inputSchema: { city: z.string(), days: z.int().optional() },
    },
    ({ city, days }) => ({
      content: [{ type: 'text', text: `${city}: ${days ?? 1} days of rain` }],
    }),
  );
  mcp.registerTool('python', { description: 'Not yours' }, () => ({
    content: [{ type: 'text', text: 'no' }],
    isError: true,
  }));
  mcp.registerTool('map', {}, () => ({
    content: [
      { type: 'text', text: '{"zoom":3}' },
      { type: 'image', data: PNG.toString('base64'), mimeType: 'text/html' },
      { type: 'image', data: Buffer.from('<svg/>').toString('base64'), mimeType: 'image/png' },
      { type: 'resource_link', uri: 'https://maps.example/', name: 'Map' },
    ],
  }));
  mcp.registerTool('table', { outputSchema: { rows: z.array(z.number()) } }, () => ({
    content: [{ type: 'text', text: 'ignored' }],
    structuredContent: { rows: [1, 2] },
  }));
}

beforeAll(async () => {
  server = opened.use(await startFakeMcpServer(registerWeather));
  inner = opened.use(await startTripwire([0]));
  stage = opened.use(await startOutboundStage([`${server.host}/32`]));
  stranger = await openTenant();
});
afterAll(() => opened.disposeAsync());
beforeEach(async () => {
  server.register = registerWeather;
  server.intercept = null;
  server.answersJson = false;
  server.seen.length = 0;
  owner = await openTenant();
});

const weather = (more: object = {}) => ({ name: 'Weather', server_url: server.url, ...more });

async function add(more: object = {}, by = owner): Promise<any> {
  const { status, body } = await by.call('POST', PATH, weather(more));
  expect([status, body.detail]).toEqual([200, undefined]);
  return body;
}

/** Answers a JSON-RPC request with whatever a test wants. */
function script(
  answer: (message: any, request: IncomingMessage, response: ServerResponse) => void,
) {
  return (request: IncomingMessage, response: ServerResponse): void => {
    const chunks: Buffer[] = [];
    request.on('data', (chunk: Buffer) => chunks.push(chunk));
    request.on('end', () => {
      const text = Buffer.concat(chunks).toString();
      answer(text === '' ? {} : JSON.parse(text), request, response);
    });
  };
}

const sendJson = (response: ServerResponse, value: unknown): void =>
  void response
    .writeHead(200, { 'content-type': 'application/json' })
    .end(typeof value === 'string' ? value : JSON.stringify(value));

/** A server that greets as it should and lists its tools as a test wants. */
const listing = (list: (message: any, response: ServerResponse) => void) =>
  script((message, request, response) => {
    if (request.method !== 'POST') {
      response.writeHead(405).end();
    } else if (message.method === 'initialize') {
      const result = {
        protocolVersion: '2025-06-18',
        capabilities: { tools: {} },
        serverInfo: { name: 's', version: '1' },
      };
      sendJson(response, { jsonrpc: '2.0', id: message.id, result });
    } else if (message.id === undefined) {
      response.writeHead(202).end();
    } else {
      list(message, response);
    }
  });
const tools = (list: unknown[], more: object = {}) =>
  listing((message, response) =>
    sendJson(response, { jsonrpc: '2.0', id: message.id, result: { tools: list, ...more } }),
  );
const tool = (name: string, inputSchema: object = { type: 'object' }) => ({ name, inputSchema });

interface Loaded extends AsyncDisposable {
  tools: Tool[];
  of(name: string): Tool;
}

async function load(mcpHeaders: Record<string, string> | null = null, by = owner): Promise<Loaded> {
  const loaded = await loadCustomTools(
    stage.millrace.services,
    { workspaceId: by.workspaceId, userId: by.userId, authorization: 'Bearer caller', mcpHeaders },
    null,
  );
  return {
    tools: loaded.tools,
    of(name) {
      const found = loaded.tools.find((one) => one.name === name);
      if (!found) throw new Error(`There is no tool ${name}.`);
      return found;
    },
    [Symbol.asyncDispose]: () => loaded.close(),
  };
}

describe('an MCP server', () => {
  it('is added with its tools, listed, found, changed and deleted with them', async () => {
    const made = await add({ headers: [{ key: 'Authorization', value: SECRET }] });
    expect(made).toEqual({
      id: expect.any(Number),
      name: 'Weather',
      description: '',
      server_url: server.url,
      headers: [{ key: 'Authorization', value: 'Bear...6789' }],
      enabled: true,
      user_id: owner.userId,
      tools: [
        {
          id: expect.any(Number),
          name: 'Weather_forecast',
          display_name: 'Forecast',
          description: 'Tells the weather',
          enabled: true,
        },
        expect.objectContaining({ name: 'Weather_python' }),
        expect.objectContaining({ name: 'Weather_map' }),
        expect.objectContaining({ name: 'Weather_table' }),
      ],
      created_at: expect.any(String),
      updated_at: expect.any(String),
    });
    expect(server.seen.every(({ headers }) => headers.authorization === SECRET)).toBe(true);
    expect(server.seen.map(({ method }) => method)).not.toContain('GET');
    expect((await owner.call('GET', PATH)).body).toEqual({ mcp_servers: [made] });
    expect((await owner.call('GET', `${PATH}/${made.id}`)).body).toEqual(made);
    const listed = await owner.call('GET', '/tool');
    expect(listed.body.find(({ id }: any) => id === made.tools[0].id)).toMatchObject({
      name: 'Weather_forecast',
      mcp_server_id: made.id,
      custom_headers: null,
      definition: { name: 'forecast', inputSchema: { properties: { city: { type: 'string' } } } },
    });
    expect((await owner.call('GET', '/tool/openapi')).body).toEqual([]);

    const changed = await owner.call('PUT', `${PATH}/${made.id}`, {
      name: 'Sky',
      headers: made.headers,
    });
    expect(changed.body).toEqual({ ...made, name: 'Sky', updated_at: expect.any(String) });
    const { rows } = await sql<{ sealed_headers: string }>`
      select sealed_headers from mcp_server where id = ${made.id}`.execute(
      stage.millrace.services.db,
    );
    const sealed = rows[0]?.sealed_headers ?? '';
    expect(sealed).not.toContain('0123456789');
    expect(stage.millrace.services.secrets.open(sealed, `mcp_server:${made.id}`)).toContain(SECRET);

    expect((await owner.call('DELETE', `${PATH}/${made.id}`)).status).toBe(200);
    expect((await owner.call('GET', `${PATH}/${made.id}`)).status).toBe(404);
    expect((await owner.call('GET', '/tool')).body.length).toBe(listed.body.length - 4);
  });

  it('of somebody else is nowhere', async () => {
    const made = await add();
    for (const [method, suffix, body] of [
      ['GET', '', undefined],
      ['PUT', '', { name: 'Mine', enabled: false }],
      ['POST', '/refresh', undefined],
      ['DELETE', '', undefined],
    ] as const) {
      const { status } = await stranger.call(method, `${PATH}/${made.id}${suffix}`, body);
      expect(status, `${method} ${suffix}`).toBe(404);
    }
    const ofTool = await stranger.call('PUT', `/admin/tool/custom/${made.tools[0].id}`, {
      enabled: false,
    });
    expect(ofTool.status).toBe(404);
    expect((await stranger.call('GET', PATH)).body).toEqual({ mcp_servers: [] });
    expect((await owner.call('GET', `${PATH}/${made.id}`)).body).toEqual(made);
    await using loaded = await load(null, stranger);
    expect(loaded.tools).toEqual([]);
  });

  it('keeps the ids and the switches of its tools when it is asked again', async () => {
    const made = await add();
    const off = made.tools[1];
    await owner.call('PUT', `/admin/tool/custom/${off.id}`, { enabled: false });
    server.intercept = tools([tool('python'), tool('new'), tool('forecast')]);
    const { body } = await owner.call('POST', `${PATH}/${made.id}/refresh`);
    expect(body.tools.map((one: any) => [one.id, one.name, one.enabled])).toEqual([
      [made.tools[0].id, 'Weather_forecast', true],
      [off.id, 'Weather_python', false],
      [expect.any(Number), 'Weather_new', true],
    ]);
    await using loaded = await load();
    expect(loaded.tools.map(({ name }) => name)).toEqual(['Weather_forecast', 'Weather_new']);
  });

  it('whose name two servers share has tools of other names', async () => {
    await add();
    const second = await add();
    expect(second.tools[0].name).toBe('Weather_forecast_2');
  });

  it('describes its tools alone: a tool of it can only be switched, not deleted', async () => {
    const made = await add();
    const path = `/admin/tool/custom/${made.tools[0].id}`;
    expect((await owner.call('PUT', path, { description: 'x' })).status).toBe(400);
    const deleted = await owner.call('DELETE', path);
    expect([deleted.status, deleted.body.detail]).toEqual([
      400,
      expect.stringContaining(`DELETE /admin/mcp/servers/${made.id}`),
    ]);
    const off = await owner.call('PUT', `${PATH}/${made.id}`, { enabled: false });
    expect([off.status, off.body.enabled]).toEqual([200, false]);
    await using loaded = await load();
    expect(loaded.tools).toEqual([]);
  });

  it('gets the headers of another address from nobody', async () => {
    const made = await add({ headers: [{ key: 'Authorization', value: SECRET }] });
    await using thief = await startFakeMcpServer(registerWeather);
    const moved = { server_url: server.url.replace('http://', 'http://elsewhere.') };
    stage.resolver.set(`elsewhere.${server.host}`, [[server.host]]);
    for (const change of [
      { server_url: thief.url },
      { ...moved },
      { server_url: thief.url, headers: made.headers },
    ]) {
      const refused = await owner.call('PUT', `${PATH}/${made.id}`, change);
      expect(refused.status).toBe(400);
    }
    expect(thief.seen).toEqual([]);
    expect((await owner.call('GET', `${PATH}/${made.id}`)).body).toEqual(made);
  });
});

const hold: FakeMcpServer['intercept'] = (_, response) => {
  response.writeHead(200, { 'content-type': 'text/event-stream' });
  response.write(': I think\n\n');
};

describe('a server that cannot be used is refused and not kept:', () => {
  it.each<[string, FakeMcpServer['intercept'], number, RegExp]>([
    ['404', (_, response) => void response.writeHead(404).end('no'), 400, /answered 404/],
    [
      '401',
      (_, response) => void response.writeHead(401).end(SECRET),
      400,
      /answered 401\. Check the headers/,
    ],
    ['500', (_, response) => void response.writeHead(500).end(), 502, /answered 500/],
    ['a page', (_, response) => void response.end('<html>'), 502, /something that is no MCP/],
    ['broken JSON', (_, response) => sendJson(response, '{"jsonrpc":'), 502, /no MCP/],
    ['no JSON-RPC', (_, response) => sendJson(response, { hello: 1 }), 502, /no MCP/],
    ['a hang-up', (_, response) => void response.destroy(), 502, /127\./],
    [
      '5 MB of nothing',
      (_, response) => sendJson(response, ' '.repeat(6_000_000)),
      502,
      /more than 5000000 bytes/,
    ],
    [
      'another protocol',
      script((message, _, response) =>
        sendJson(response, {
          jsonrpc: '2.0',
          id: message.id,
          result: {
            protocolVersion: '1999-01-01',
            capabilities: {},
            serverInfo: { name: 's', version: '1' },
          },
        }),
      ),
      502,
      /no MCP/,
    ],
    [
      'an error',
      listing((message, response) =>
        sendJson(response, {
          jsonrpc: '2.0',
          id: message.id,
          error: { code: -32603, message: `Broken ${SECRET} ${'x'.repeat(9_999)}` },
        }),
      ),
      502,
      /reported an error: .*Broken \[hidden\]/,
    ],
    [
      '10,000 tools',
      tools(Array.from({ length: 10_000 }, (_, n) => tool(`t${n}`))),
      502,
      /more than 100 tools/,
    ],
    ['endless pages', tools([], { nextCursor: 'on' }), 502, /more than 20 pages/],
    ['tools that are none', tools([{ name: 5 }]), 502, /no MCP/],
  ])('%s', async (_, intercept, status, words) => {
    server.intercept = intercept;
    const headers = [{ key: 'Authorization', value: SECRET }];
    const refused = await owner.call('POST', PATH, weather({ headers }));
    expect([refused.status, refused.body.detail]).toEqual([status, expect.stringMatching(words)]);
    expect(refused.body.detail).toContain('body.server_url');
    expect(refused.text.length).toBeLessThan(1_500);
    expect(refused.text).not.toContain('0123456789');
    expect((await owner.call('GET', PATH)).body).toEqual({ mcp_servers: [] });
  });

  it('one that never ends', { timeout: 40_000 }, async () => {
    server.intercept = hold;
    const refused = await owner.call('POST', PATH, weather());
    expect([refused.status, refused.body.detail]).toEqual([
      502,
      expect.stringContaining('in time'),
    ]);
  });

  it('one that is nowhere or no address', async () => {
    for (const [url, status] of [
      ['not a url', 400],
      ['ftp://127.0.0.1/', 400],
      ['http://user:word@93.184.216.34/', 400],
      ['http://93.184.216.34:25/', 400],
      ['http://nobody.invalid/', 502],
    ] as const) {
      const refused = await owner.call('POST', PATH, weather({ server_url: url }));
      expect([refused.status, url]).toEqual([status, url]);
      expect(refused.body.detail).toContain('body.server_url');
      expect(refused.text).not.toContain('word@');
    }
  });

  it('one that nobody may reach, by its address or by a redirect', async () => {
    const wrong: unknown[] = [];
    const port = inner.ports[0] ?? 0;
    for (const { host, why } of FORBIDDEN_LITERALS) {
      const refused = await owner.call(
        'POST',
        PATH,
        weather({ server_url: `http://${host}:${port}/mcp` }),
      );
      if (refused.status !== 400) wrong.push({ host, why, body: refused.body });
    }
    for (const { target, why } of redirectTargetsTo({ address: inner.address, port })) {
      const location = Buffer.from(target).toString('latin1');
      for (const status of [302, 307]) {
        server.intercept = (_, response) => void response.writeHead(status, { location }).end();
        const refused = await owner.call('POST', PATH, weather());
        if (refused.status < 400) wrong.push({ target, why, body: refused.body });
      }
    }
    expect(wrong).toEqual([]);
    expect(inner.connections).toBe(0);
  });

  it('one that has moved inside since', async () => {
    stage.resolver.set('moving.example', [[server.host]]);
    const url = new URL(server.url);
    await add({ server_url: `http://moving.example:${url.port}/mcp` });
    stage.resolver.set('moving.example', [[inner.address]]);
    server.hangUp();
    await using loaded = await load();
    const { message } = await failureOfTool(loaded.of('Weather_forecast'), { city: 'Rome' });
    expect(message).toContain('moving.example resolves to an address that is not public');
    expect(inner.connections).toBe(0);
  });
});

describe('a server with odd tools', () => {
  it('is taken with schemas of bounded length, without circles, and names that are safe', async () => {
    const circle = {
      type: 'object',
      properties: { next: { $ref: '#' }, far: { $ref: 'http://169.254.169.254/x' } },
      required: ['next'],
    };
    const wide = {
      type: 'object',
      properties: Object.fromEntries(
        Array.from({ length: 5_000 }, (_, n) => [`p${n}`, { type: 'string' }]),
      ),
    };
    const deep = JSON.parse(
      `${'{"type":"object","properties":{"a":'.repeat(900)}{}${'}}'.repeat(900)}`,
    );
    server.intercept = tools([
      { ...tool('internal_search', circle), description: 'd'.repeat(9_999) },
      tool('böse name!', wide),
      tool('deep', deep),
      tool('twice'),
      tool('twice'),
      tool(''),
      tool('x'.repeat(500)),
      tool('nul\0'),
    ]);
    const made = await add({ name: 'Tools of 🙂' });
    expect(made.tools.map(({ name }: any) => name)).toEqual([
      'Tools_of_internal_search',
      'Tools_of_bose_name',
      'Tools_of_deep',
      'Tools_of_twice',
    ]);
    await using loaded = await load();
    expect(loaded.tools[0]?.parameters).toEqual({
      type: 'object',
      properties: { next: { type: 'object' }, far: {} },
      required: ['next'],
    });
    for (const { parameters, description } of loaded.tools) {
      expect(JSON.stringify(parameters).length + description.length).toBeLessThan(7_100);
    }
  });
});

describe('a call of an MCP tool', () => {
  it.each([false, true])('shows its text; whole JSON answers: %s', async (answersJson) => {
    server.answersJson = answersJson;
    const made = await add();
    await using loaded = await load();
    const { packets, result } = await runTool(loaded.of('Weather_forecast'), {
      city: 'Rome',
      days: 3,
    });
    const name = { tool_name: 'Weather_forecast', tool_id: made.tools[0].id };
    expect(packets).toEqual([
      { type: 'custom_tool_start', ...name },
      {
        type: 'custom_tool_delta',
        ...name,
        response_type: 'text',
        data: 'Rome: 3 days of rain',
        file_ids: null,
        error: null,
      },
    ]);
    expect(result).toEqual({ text: 'Rome: 3 days of rain', documents: [] });
  });

  it('shows structured content as JSON', async () => {
    await add();
    await using loaded = await load();
    const { packets, result } = await runTool(loaded.of('Weather_table'), {});
    expect(packets[1]).toMatchObject({ response_type: 'json', data: { rows: [1, 2] } });
    expect(result.text).toBe('{"rows":[1,2]}');
  });

  it('stores what is an image by its content, and nothing else', async () => {
    await add();
    await using loaded = await load();
    const { packets, result } = await runTool(loaded.of('Weather_map'), {});
    expect(packets).toHaveLength(3);
    expect(packets[1]).toMatchObject({
      response_type: 'text',
      data: expect.stringContaining('Map: https://'),
    });
    const [id] = (packets[2] as unknown as { file_ids: StoredFileId[] }).file_ids;
    const found = id && (await stage.millrace.services.files.read(owner.workspaceId, id));
    expect(found && [found.file.mediaType, found.bytes.equals(PNG)]).toEqual(['image/png', true]);
    expect(result.text).toContain('<svg/>');
  });

  it('that the tool calls an error is told to the model', async () => {
    await add();
    await using loaded = await load();
    const { result } = await runTool(loaded.of('Weather_python'), {});
    expect(result.text).toBe('The tool reported an error: no');
  });

  it('connects once for all calls of an answer, and carries the headers of the caller on top', async () => {
    await add({
      headers: [
        { key: 'Authorization', value: SECRET },
        { key: 'X-Team', value: 'sky' },
      ],
    });
    server.seen.length = 0;
    await using loaded = await load({
      authorization: 'Bearer mine',
      'X-Extra': 'yes',
      Host: 'evil.example',
      'Mcp-Session-Id': 'stolen',
      'X-Bad': 'a\r\nb',
    });
    await Promise.all(
      ['Rome', 'Oslo', 'Bern'].map((city) => runTool(loaded.of('Weather_forecast'), { city })),
    );
    // initialize, initialized and three calls.
    expect(server.seen).toHaveLength(5);
    for (const { headers } of server.seen) {
      expect(headers).toMatchObject({
        authorization: 'Bearer mine',
        'x-team': 'sky',
        'x-extra': 'yes',
      });
      expect(headers.host).not.toBe('evil.example');
      expect(headers['mcp-session-id']).toBeUndefined();
      expect(headers['x-bad']).toBeUndefined();
    }
  });

  it('with wrong arguments is never made', async () => {
    await add();
    server.seen.length = 0;
    await using loaded = await load();
    const failure = await failureOfTool(loaded.of('Weather_forecast'), { days: 'x' });
    expect(failure.message).toContain('The arguments are wrong');
    expect(server.seen).toEqual([]);
  });

  it.each([401, 403, 500])('that is answered %i is an error packet', async (status) => {
    await add({ headers: [{ key: 'Authorization', value: SECRET }] });
    server.intercept = (_, response) => void response.writeHead(status).end(`No ${SECRET}`);
    await using loaded = await load();
    const { packets, result } = await runTool(loaded.of('Weather_forecast'), { city: 'Rome' });
    expect(packets[1]).toMatchObject({
      error: { is_auth_error: status < 500, status_code: status },
    });
    expect(result.text).toContain(`answered ${status}`);
    expect(JSON.stringify([packets, result])).not.toContain('0123456789');
  });

  it('that brings garbage fails, and the next one works', async () => {
    await add();
    await using loaded = await load();
    server.intercept = (_, response) => sendJson(response, '[{"jsonrpc":"2.0"}]');
    const failure = await failureOfTool(loaded.of('Weather_forecast'), { city: 'Rome' });
    expect(failure.cause).toMatchObject({ name: 'ToolFailed' });
    server.intercept = null;
    const { result } = await runTool(loaded.of('Weather_forecast'), { city: 'Rome' });
    expect(result.text).toBe('Rome: 1 days of rain');
  });

  it('ends with the answer that it is for, and leaves nothing open', async () => {
    await add();
    const loaded = await load();
    const asked = Promise.withResolvers<void>();
    const gone = Promise.withResolvers<void>();
    server.intercept = (request, response) => {
      response.on('close', () => gone.resolve());
      hold?.(request, response);
      asked.resolve();
    };
    const stop = new AbortController();
    const failing = failureOfTool(
      loaded.of('Weather_forecast'),
      { city: 'Rome' },
      { signal: stop.signal },
    );
    await asked.promise;
    stop.abort(new Error('The client has gone.'));
    expect((await failing).message).toBe('The client has gone.');
    await loaded[Symbol.asyncDispose]();
    await gone.promise;
  });
});
