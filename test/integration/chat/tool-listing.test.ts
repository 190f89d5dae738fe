import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { startTestMillrace, type TestMillrace } from '#test/support/test-millrace.ts';
import type { Json } from '#test/support/tool-tenant.ts';

let millrace: TestMillrace;
beforeAll(async () => {
  millrace = await startTestMillrace();
});
afterAll(() => millrace[Symbol.asyncDispose]());

describe('GET /tool', () => {
  it('lists the tools of this install and says which need a model', async () => {
    const { body } = await millrace.call('GET', '/tool');
    expect(
      body.map((tool: Json) => [tool.id, tool.in_code_tool_id, tool.name, tool.enabled]),
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
    expect((await millrace.call('GET', '/tool/3')).body).toEqual(body[1]);
    expect((await millrace.call('GET', '/tool/2')).status).toBe(404);
    expect((await millrace.call('GET', '/tool/99999')).status).toBe(404);
    expect((await millrace.call('GET', '/tool/openapi')).body).toEqual([]);
  });

  it('lists web search, images and Python according to the settings', async () => {
    await using configured = await startTestMillrace({
      LLM_BASE_URL: 'http://127.0.0.1:9',
      LLM_MODEL: 'm',
      IMAGE_MODEL: 'i',
      LEAD_SEARCH_PROVIDER: 'brave',
      BRAVE_API_KEY: 'k',
      PYTHON_TOOL: 'false',
    });
    const { body } = await configured.call('GET', '/tool');
    expect(body.map((tool: Json) => [tool.id, tool.enabled, tool.chat_selectable])).toEqual([
      [1, true, true],
      [2, true, true],
      [3, true, false],
      [4, true, true],
    ]);
    expect(JSON.stringify(body)).not.toContain('LLM_');
  });
});
