import { sql } from 'kysely';
import pino from 'pino';
import { afterAll, beforeAll, beforeEach, describe, expect, it } from 'vitest';

import { createWorkspace } from '#src/accounts/workspaces.ts';
import { modelUsageSamples } from '#src/chat/model/model-usage-samples.ts';
import { createUsageLedger } from '#src/chat/model/usage-ledger.ts';
import type { WorkspaceId } from '#src/ids.ts';
import type { Database } from '#src/platform/database.ts';
import { createMetrics } from '#src/platform/metrics.ts';
import { openTestDatabase } from '#test/unit/api/harness.ts';

const MODEL = { provider: 'openai-compatible', name: 'small' };
const USED = { inputTokens: 100, outputTokens: 20, reasoningTokens: 5 };

let db: Database;
let workspace: WorkspaceId;
beforeAll(async () => {
  db = await openTestDatabase();
});
beforeEach(async () => {
  await db.deleteFrom('workspace').execute();
  ({ workspaceId: workspace } = await createWorkspace(db, { name: 'One', planTier: 'Free' }));
});
afterAll(() => db.destroy());

/** A ledger that writes on demand, on a day set by the test. */
function openLedger(flushMs: number = 60_000) {
  const logged: unknown[] = [];
  let today = new Date('2026-03-05T23:59:00Z');
  const ledger = createUsageLedger(
    {
      db,
      log: pino({ level: 'info' }, { write: (line) => void logged.push(JSON.parse(line)) }),
      clock: () => today,
    },
    flushMs,
  );
  return { ledger, logged, setDay: (day: string) => void (today = new Date(day)) };
}

const rows = async (): Promise<unknown[]> => {
  const found = await sql<Record<string, unknown>>`
    select workspace_id as workspace, day::text, model, calls::int, input_tokens::int as input,
      output_tokens::int as output, reasoning_tokens::int as reasoning
    from model_usage order by day, model`.execute(db);
  return found.rows;
};
const line = (calls: number, day = '2026-03-05', model = 'small') => ({
  workspace,
  day,
  model,
  calls,
  input: 100 * calls,
  output: 20 * calls,
  reasoning: 5 * calls,
});

describe('the token ledger', () => {
  it('adds up the usage of a workspace per model and day, within and across processes', async () => {
    const first = openLedger();
    const second = openLedger();
    for (const { ledger } of [first, first, second]) ledger.record(workspace, MODEL, USED);
    first.ledger.record(workspace, { ...MODEL, name: 'large' }, USED);
    first.setDay('2026-03-06T00:01:00Z');
    first.ledger.record(workspace, MODEL, USED);
    expect(await rows()).toEqual([]);
    await Promise.all([first.ledger.idle(), second.ledger.idle()]);
    expect(await rows()).toEqual([line(1, '2026-03-05', 'large'), line(3), line(1, '2026-03-06')]);
    await first.ledger.idle();
    expect(await rows()).toHaveLength(3);
  });

  it('writes by itself after a delay', async () => {
    const { ledger } = openLedger(20);
    ledger.record(workspace, MODEL, USED);
    await expect.poll(rows).toEqual([line(1)]);
  });

  it('keeps what it could not write for the next attempt', async () => {
    const { ledger, logged } = openLedger();
    await sql`alter table model_usage rename to model_usage_away`.execute(db);
    ledger.record(workspace, MODEL, USED);
    await ledger.idle();
    ledger.record(workspace, MODEL, USED);
    await sql`alter table model_usage_away rename to model_usage`.execute(db);
    expect(logged).toMatchObject([{ level: 40, lines: 1, msg: 'token usage was not written yet' }]);
    await ledger.idle();
    expect(await rows()).toEqual([line(2)]);
  });

  it('writes the rest when a workspace has been deleted', async () => {
    const { ledger, logged } = openLedger();
    const { workspaceId: gone } = await createWorkspace(db, { name: 'Two', planTier: 'Free' });
    for (const id of [gone, workspace]) ledger.record(id, MODEL, USED);
    await db.deleteFrom('workspace').where('id', '=', gone).execute();
    await ledger.idle();
    expect(await rows()).toEqual([line(1)]);
    expect(logged).toEqual([]);
  });

  it('ignores invalid counts', async () => {
    const { ledger } = openLedger();
    const odd = { inputTokens: Number.NaN, outputTokens: -7, reasoningTokens: 1.5 };
    ledger.record(workspace, MODEL, odd);
    await ledger.idle();
    expect(await rows()).toMatchObject([{ calls: 1, input: 0, output: 0, reasoning: 1 }]);
  });

  it('drops what would exhaust memory, and logs it', async () => {
    const { ledger, logged } = openLedger();
    for (let index = 0; index < 10_001; index += 1)
      ledger.record(workspace, { ...MODEL, name: `m${index}` }, USED);
    expect(logged).toMatchObject([{ level: 40, lines: 10_000 }]);
    await ledger.idle();
    expect(await rows()).toHaveLength(10_000);
  });

  it('appears in the metrics by provider, model and kind, without naming a workspace', async () => {
    const { ledger, setDay } = openLedger();
    ledger.record(workspace, MODEL, USED);
    setDay('2026-03-06T00:01:00Z');
    ledger.record(workspace, MODEL, USED);
    await ledger.idle();
    const metrics = createMetrics();
    metrics.addCollector(() => modelUsageSamples(db));
    const text = await metrics.text();
    const labels = 'provider="openai-compatible",model="small"';
    expect(text).not.toContain(workspace);
    expect(text).toContain(`millrace_llm_calls_total{${labels}} 2`);
    expect(text).toContain(`millrace_llm_tokens_total{${labels},kind="input"} 200`);
    expect(text).toContain(`millrace_llm_tokens_total{${labels},kind="output"} 40`);
    expect(text).toContain(`millrace_llm_tokens_total{${labels},kind="reasoning"} 10`);
  });

  it('has a bounded number of series and loses no calls', async () => {
    const { ledger } = openLedger();
    for (let index = 0; index < 60; index += 1)
      ledger.record(workspace, { ...MODEL, name: `m${index}` }, USED);
    await ledger.idle();
    const samples = await modelUsageSamples(db);
    const calls = samples.filter(({ gauge }) => gauge === 'llmCalls');
    expect(calls).toHaveLength(51);
    expect(calls.reduce((sum, { value }) => sum + value, 0)).toBe(60);
  });
});
