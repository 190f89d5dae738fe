import { sql } from 'kysely';

import type { WorkspaceId } from '#src/ids.ts';
import type { Database } from '#src/platform/database.ts';
import type { GaugeSample } from '#src/platform/metrics.ts';

/** Workspaces with their models; beyond it those that were used last are shown. */
const MAX_SERIES = 1_000;

/** Calls of language models and their tokens since the beginning, by workspace, provider and model. */
export async function modelUsageSamples(db: Database): Promise<GaugeSample[]> {
  const { rows } = await sql<{
    workspace_id: WorkspaceId;
    provider: string;
    model: string;
    calls: number;
    input: number;
    output: number;
    reasoning: number;
  }>`
    select workspace_id, provider, model, sum(calls)::float8 as calls,
      sum(input_tokens)::float8 as input, sum(output_tokens)::float8 as output,
      sum(reasoning_tokens)::float8 as reasoning
    from model_usage group by workspace_id, provider, model
    order by max(day) desc, workspace_id, provider, model limit ${MAX_SERIES}`.execute(db);
  return rows.flatMap(({ workspace_id: workspace, provider, model, calls, ...tokens }) => {
    const labels = { workspace, provider, model };
    return [
      { gauge: 'llmCalls' as const, labels, value: calls },
      ...(['input', 'output', 'reasoning'] as const).map((kind) => ({
        gauge: 'llmTokens' as const,
        labels: { ...labels, kind },
        value: tokens[kind],
      })),
    ];
  });
}
