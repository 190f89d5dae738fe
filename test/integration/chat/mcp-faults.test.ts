import { afterAll, beforeAll, beforeEach, describe, expect, it } from 'vitest';
import { type FakeMcpServer, startFakeMcpServer } from '#test/support/fake-mcp-server.ts';
import { FORBIDDEN_LITERALS, redirectTargetsTo } from '#test/support/forbidden-hosts.ts';
import { type OutboundStage, startOutboundStage } from '#test/support/outbound-stage.ts';
import { failureOfTool } from '#test/support/run-tool.ts';
import { hold, listed, listing, script, sendJson, tool } from '#test/support/script-mcp.ts';
import { type Json, openToolTenant, type ToolTenant } from '#test/support/tool-tenant.ts';
import { startTripwire, type Tripwire } from '#test/support/tripwire.ts';
import { registerWeather } from '#test/support/weather-tools.ts';

const PATH = '/admin/mcp/servers';
const SECRET = 'Bearer mcp-key-0123456789';

let server: FakeMcpServer;
let inner: Tripwire;
let stage: OutboundStage;
let owner: ToolTenant;
const opened = new AsyncDisposableStack();
beforeAll(async () => {
  server = opened.use(await startFakeMcpServer(registerWeather));
  inner = opened.use(await startTripwire([0]));
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

describe('an unusable server is refused and not stored:', () => {
  it.each<[string, FakeMcpServer['intercept'], number, RegExp]>([
    ['404', (_, response) => void response.writeHead(404).end('no'), 400, /answered 404/],
    [
      '401',
      (_, response) => void response.writeHead(401).end(SECRET),
      400,
      /answered 401\. Check the headers/,
    ],
    ['500', (_, response) => void response.writeHead(500).end(), 502, /answered 500/],
    [
      'an HTML page',
      (_, response) => void response.end('<html>'),
      502,
      /something that is not MCP/,
    ],
    ['broken JSON', (_, response) => sendJson(response, '{"jsonrpc":'), 502, /not MCP/],
    ['no JSON-RPC', (_, response) => sendJson(response, { hello: 1 }), 502, /not MCP/],
    ['a hang-up', (_, response) => void response.destroy(), 502, /127\./],
    [
      '5 MB of padding',
      (_, response) => sendJson(response, ' '.repeat(6_000_000)),
      502,
      /more than 5000000 bytes/,
    ],
    [
      'another protocol version',
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
      /not MCP/,
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
      listed(Array.from({ length: 10_000 }, (_, n) => tool(`t${n}`))),
      502,
      /more than 100 tools/,
    ],
    ['endless pages', listed([], { nextCursor: 'on' }), 502, /more than 20 pages/],
    ['invalid tools', listed([{ name: 5 }]), 502, /not MCP/],
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

  it('one that never answers', async () => {
    server.intercept = hold;
    const refused = await owner.call('POST', PATH, weather());
    expect([refused.status, refused.body.detail]).toEqual([
      502,
      expect.stringContaining('in time'),
    ]);
  });

  it('one that does not exist or has no valid address', async () => {
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

  it('one at a forbidden address, directly or through a redirect', async () => {
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

  it('one whose name now resolves to an internal address', async () => {
    stage.resolver.set('moving.example', [[server.host]]);
    const url = new URL(server.url);
    await addWeather({ server_url: `http://moving.example:${url.port}/mcp` });
    stage.resolver.set('moving.example', [[inner.address]]);
    await using loaded = await owner.load();
    const { message } = await failureOfTool(loaded.of('Weather_forecast'), { city: 'Rome' });
    expect(message).toContain('moving.example resolves to an address that is not public');
    expect(inner.connections).toBe(0);
  });
});
