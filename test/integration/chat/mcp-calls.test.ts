import { afterAll, beforeAll, beforeEach, describe, expect, it } from 'vitest';
import { type FakeMcpServer, startFakeMcpServer } from '#test/support/fake-mcp-server.ts';
import { type OutboundStage, startOutboundStage } from '#test/support/outbound-stage.ts';
import { failureOfTool, runTool } from '#test/support/run-tool.ts';
import { hold, sendJson } from '#test/support/script-mcp.ts';
import { type Json, openToolTenant, type ToolTenant } from '#test/support/tool-tenant.ts';
import { registerWeather, SMALL_PNG as PNG } from '#test/support/weather-tools.ts';

const PATH = '/admin/mcp/servers';
const SECRET = 'Bearer mcp-key-0123456789';

let server: FakeMcpServer;
let stage: OutboundStage;
let owner: ToolTenant;
const opened = new AsyncDisposableStack();
beforeAll(async () => {
  server = opened.use(await startFakeMcpServer(registerWeather));
  stage = opened.use(await startOutboundStage([`${server.host}/32`]));
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

describe('a call of an MCP tool', () => {
  it.each([false, true])('shows its text; whole JSON answers: %s', async (answersJson) => {
    server.answersJson = answersJson;
    const made = await addWeather();
    await using loaded = await owner.load();
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
        response_type: 'json',
        data: 'Rome: 3 days of rain',
        file_ids: null,
        error: null,
      },
    ]);
    expect(result).toEqual({ text: 'Rome: 3 days of rain', documents: [] });
  });

  it('shows structured content as JSON', async () => {
    await addWeather();
    await using loaded = await owner.load();
    const { packets, result } = await runTool(loaded.of('Weather_table'), {});
    expect(packets[1]).toMatchObject({ response_type: 'json', data: { rows: [1, 2] } });
    expect(result.text).toBe('{"rows":[1,2]}');
  });

  it('stores an image by its content, and nothing else', async () => {
    await addWeather();
    await using loaded = await owner.load();
    const { packets, result } = await runTool(loaded.of('Weather_map'), {});
    expect(packets).toHaveLength(3);
    expect(packets[1]).toMatchObject({
      response_type: 'json',
      data: expect.stringContaining('Map: https://'),
    });
    const { file, bytes } = await owner.fileOf(packets[2]);
    expect([file.mediaType, bytes.equals(PNG)]).toEqual(['image/png', true]);
    expect(result.text).toContain('<svg/>');
  });

  it('that the tool reports as an error is passed to the model', async () => {
    await addWeather();
    await using loaded = await owner.load();
    const { result } = await runTool(loaded.of('Weather_python'), {});
    expect(result.text).toBe('The tool reported an error: no');
  });

  it('connects once per answer and adds the caller’s headers', async () => {
    await addWeather({
      headers: [
        { key: 'Authorization', value: SECRET },
        { key: 'X-Team', value: 'sky' },
      ],
    });
    server.seen.length = 0;
    await using loaded = await owner.load(null, {
      mcpHeaders: {
        authorization: 'Bearer mine',
        'X-Extra': 'yes',
        Host: 'evil.example',
        'Mcp-Session-Id': 'stolen',
        'X-Bad': 'a\r\nb',
      },
    });
    await Promise.all(
      ['Rome', 'Oslo', 'Bern'].map((city) => runTool(loaded.of('Weather_forecast'), { city })),
    );
    // `initialize`, `initialized` and three calls.
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
    await addWeather();
    server.seen.length = 0;
    await using loaded = await owner.load();
    const failure = await failureOfTool(loaded.of('Weather_forecast'), { days: 'x' });
    expect(failure.message).toContain('The arguments are wrong');
    expect(server.seen).toEqual([]);
  });

  it.each([401, 403, 500])('that is answered %i is an error packet', async (status) => {
    await addWeather({ headers: [{ key: 'Authorization', value: SECRET }] });
    server.intercept = (_, response) => void response.writeHead(status).end(`No ${SECRET}`);
    await using loaded = await owner.load();
    const { packets, result } = await runTool(loaded.of('Weather_forecast'), { city: 'Rome' });
    expect(packets[1]).toMatchObject({
      error: { is_auth_error: status < 500, status_code: status },
    });
    expect(result.text).toContain(`answered ${status}`);
    expect(JSON.stringify([packets, result])).not.toContain('0123456789');
  });

  it('that returns garbage fails, and the next one works', async () => {
    await addWeather();
    await using loaded = await owner.load();
    server.intercept = (_, response) => sendJson(response, '[{"jsonrpc":"2.0"}]');
    const failure = await failureOfTool(loaded.of('Weather_forecast'), { city: 'Rome' });
    expect(failure.cause).toMatchObject({ name: 'ToolFailed' });
    server.intercept = null;
    const { result } = await runTool(loaded.of('Weather_forecast'), { city: 'Rome' });
    expect(result.text).toBe('Rome: 1 days of rain');
  });

  it('ends when its answer ends and leaves nothing open', async () => {
    await addWeather();
    const loaded = await owner.load();
    const asked = Promise.withResolvers<void>();
    const gone = Promise.withResolvers<void>();
    server.intercept = (request, response) => {
      response.on('close', () => gone.resolve());
      hold(request, response);
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
