import { sql } from 'kysely';
import type { Database } from '#src/platform/database.ts';
import type { GaugeSample } from '#src/platform/gauges.ts';

/** Models with their own series: the most recently used. All others share one. */
const MAX_MODELS = 50;

/**
 * Calls of language models and their tokens since the process started, by provider and model, for all workspaces
 * together.
 */
export async function modelUsageSamples(db: Database): Promise<GaugeSample[]> {
  const { rows } = await sql<{
    provider: string;
    model: string;
    calls: number;
    input: number;
    output: number;
    reasoning: number;
  }>`
    with used as (
      select provider, model, sum(calls) as calls, sum(input_tokens) as input,
        sum(output_tokens) as output, sum(reasoning_tokens) as reasoning,
        row_number() over (order by max(day) desc, provider, model) <= ${MAX_MODELS} as shown
      from model_usage group by provider, model
    )
    select case when shown then provider else 'other' end as provider,
      case when shown then model else 'other' end as model,
      sum(calls)::float8 as calls, sum(input)::float8 as input,
      sum(output)::float8 as output, sum(reasoning)::float8 as reasoning
    from used group by 1, 2 order by 1, 2`.execute(db);
  return rows.flatMap(({ provider, model, calls, ...tokens }) => {
    const labels = { provider, model };
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
