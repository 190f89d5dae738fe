import { afterAll, beforeAll, expect, it } from 'vitest';
import { type LeadSite, startLeadSite } from '#test/support/lead-site.ts';
import { startOutboundStage, type OutboundStage } from '#test/support/outbound-stage.ts';
import {
  answersText,
  callsTools,
  type ScriptedLlm,
  startLlm,
  toolResults,
} from '#test/support/scripted-llm.ts';

let site: LeadSite;
let llm: ScriptedLlm;
let stage: OutboundStage;
let wanted: string[];

beforeAll(async () => {
  site = await startLeadSite({
    '/start': '<html><body><p>Welcome, see the <a href="/next">next page</a>.</p></body></html>',
    '/next': '<html><body><p>The second page has words, too.</p></body></html>',
    '/steal': '<html><body><p>Thank you.</p></body></html>',
  });
  llm = await startLlm((body) => {
    const url = wanted[toolResults(body).length];
    return url === undefined
      ? answersText('Done.')
      : callsTools([{ name: 'open_url', args: { urls: [url] } }]);
  });
  stage = await startOutboundStage([`${site.host}/32`], {
    LLM_BASE_URL: llm.baseUrl,
    LLM_MODEL: 'scripted',
  });
});
afterAll(async () => {
  await stage[Symbol.asyncDispose]();
  await llm[Symbol.asyncDispose]();
  await site[Symbol.asyncDispose]();
});

it('opens URLs that the user wrote or that their pages link to, and no URL with text added', async () => {
  wanted = ['/start', '/next', '/steal?q=secret', '/next?q=secret'].map((path) => site.url + path);
  const { body } = await stage.millrace.call('POST', '/chat/send-chat-message', {
    message: `What does ${site.url}/start say?`,
    stream: false,
  });
  const results = body.tool_calls
    .filter((call: { tool_name: string }) => call.tool_name === 'open_url')
    .map((call: { tool_result: string }) => call.tool_result);
  expect(results).toHaveLength(4);
  expect(results[0]).toContain('Welcome');
  expect(results[1]).toContain('second page');
  for (const refused of results.slice(2)) expect(refused).toMatch(/Not opened: only addresses/);
  expect(site.requests.join(' ')).not.toContain('secret');
});
