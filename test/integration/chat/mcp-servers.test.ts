// @module-tag smoke
import { sql } from 'kysely';
import { afterAll, beforeAll, beforeEach, describe, expect, it } from 'vitest';
import { type FakeMcpServer, startFakeMcpServer } from '#test/support/fake-mcp-server.ts';
import { type OutboundStage, startOutboundStage } from '#test/support/outbound-stage.ts';
import { listed, tool } from '#test/support/script-mcp.ts';
import { type Json, openToolTenant, type ToolTenant } from '#test/support/tool-tenant.ts';
import { registerWeather } from '#test/support/weather-tools.ts';

const PATH = '/admin/mcp/servers';
const SECRET = 'Bearer mcp-key-0123456789';

let server: FakeMcpServer;
let stage: OutboundStage;
let owner: ToolTenant;
let stranger: ToolTenant;
const opened = new AsyncDisposableStack();
beforeAll(async () => {
  server = opened.use(await startFakeMcpServer(registerWeather));
  stage = opened.use(await startOutboundStage([`${server.host}/32`]));
  stranger = await openToolTenant(stage.millrace);
});
afterAll(() => opened.disposeAsync());
beforeEach(async () => {
  server.intercept = null;
  server.answersJson = false;
  server.seen.length = 0;
  owner = await openToolTenant(stage.millrace);
});

const weather = (more: object = {}) => ({ name: 'Weather', server_url: server.url, ...more });
const addWeather = (more: object = {}): Promise<Json> => owner.add(PATH, weather(more));

describe('an MCP server', () => {
  it('is added with its tools, listed, found, changed and deleted with them', async () => {
    const made = await addWeather({ headers: [{ key: 'Authorization', value: SECRET }] });
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
    const all = await owner.call('GET', '/tool');
    expect(all.body.find(({ id }: Json) => id === made.tools[0].id)).toMatchObject({
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
    expect((await owner.call('GET', '/tool')).body.length).toBe(all.body.length - 4);
  });

  it('does not exist for other workspaces', async () => {
    const made = await addWeather();
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
    await using loaded = await stranger.load();
    expect(loaded.tools).toEqual([]);
  });

  it('keeps the ids and enabled states of its tools on a refresh', async () => {
    const made = await addWeather();
    const off = made.tools[1];
    await owner.call('PUT', `/admin/tool/custom/${off.id}`, { enabled: false });
    server.intercept = listed([tool('python'), tool('new'), tool('forecast')]);
    const { body } = await owner.call('POST', `${PATH}/${made.id}/refresh`);
    expect(body.tools.map((one: Json) => [one.id, one.name, one.enabled])).toEqual([
      [made.tools[0].id, 'Weather_forecast', true],
      [off.id, 'Weather_python', false],
      [expect.any(Number), 'Weather_new', true],
    ]);
    await using loaded = await owner.load();
    expect(loaded.tools.map(({ name }) => name)).toEqual(['Weather_forecast', 'Weather_new']);
  });

  it('that shares its name with another gets different tool names', async () => {
    await addWeather();
    const second = await addWeather();
    expect(second.tools[0].name).toBe('Weather_forecast_2');
  });

  it('owns the description of its tools: a tool can be disabled but not deleted', async () => {
    const made = await addWeather();
    const path = `/admin/tool/custom/${made.tools[0].id}`;
    expect((await owner.call('PUT', path, { description: 'x' })).status).toBe(400);
    const deleted = await owner.call('DELETE', path);
    expect([deleted.status, deleted.body.detail]).toEqual([
      400,
      expect.stringContaining(`DELETE /admin/mcp/servers/${made.id}`),
    ]);
    const off = await owner.call('PUT', `${PATH}/${made.id}`, { enabled: false });
    expect([off.status, off.body.enabled]).toEqual([200, false]);
    await using loaded = await owner.load();
    expect(loaded.tools).toEqual([]);
  });

  it('never gets the headers entered for another address', async () => {
    const made = await addWeather({ headers: [{ key: 'Authorization', value: SECRET }] });
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

describe('a server with odd tools', () => {
  it('is added with bounded schemas, no reference cycles, and safe names', async () => {
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
    server.intercept = listed([
      { ...tool('internal_search', circle), description: 'd'.repeat(9_999) },
      tool('böse name!', wide),
      tool('deep', deep),
      tool('twice'),
      tool('twice'),
      tool(''),
      tool('x'.repeat(500)),
      tool('nul\0'),
      tool('odd', { type: 'object', properties: { 'a\0': { enum: ['\uD800'] } } }),
    ]);
    const made = await addWeather({ name: 'Tools of 🙂' });
    expect(made.tools.map(({ name }: Json) => name)).toEqual([
      'Tools_of_internal_search',
      'Tools_of_bose_name',
      'Tools_of_deep',
      'Tools_of_twice',
      'Tools_of_odd',
    ]);
    await using loaded = await owner.load();
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
