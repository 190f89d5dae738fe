import { type RawBuilder, sql } from 'kysely';
import { z } from 'zod';
import { DEFAULT_AGENT } from '#src/chat/agents/find-agent.ts';
import type { AgentId, ChatSessionId } from '#src/ids.ts';

export const sharedStatus = z.enum(['public', 'private']);

/** A session in a list. Unknown values are null, never omitted. */
export const chatSessionSchema = z
  .object({
    id: z.string(),
    name: z.string().nullable().describe('null until it is given one.'),
    persona_id: z.int().nullable().describe('0 is the default agent.'),
    time_created: z.string(),
    time_updated: z.string().describe('Of its last message; what `before` takes.'),
    shared_status: sharedStatus,
    current_alternate_model: z.string().nullable(),
    current_temperature_override: z.number().nullable(),
  })
  .meta({ id: 'ChatSession' });

export interface SessionRow {
  id: ChatSessionId;
  title: string | null;
  agent_id: AgentId | null;
  created_at: Date;
  /** ISO 8601 with microseconds, which a `Date` would truncate, and with them the order. */
  updated: string;
  shared_status: 'public' | 'private';
  alternate_model: string | null;
  temperature_override: number | null;
}

export const SESSION_COLUMNS: RawBuilder<unknown> = sql.raw(
  `id, title, agent_id, created_at,
    to_char(updated_at at time zone 'UTC', 'YYYY-MM-DD"T"HH24:MI:SS.US"Z"') as updated,
    shared_status, alternate_model, temperature_override`,
);

export function presentSession(row: SessionRow): z.input<typeof chatSessionSchema> {
  return {
    id: row.id,
    name: row.title,
    persona_id: row.agent_id ?? DEFAULT_AGENT.id,
    time_created: row.created_at.toISOString(),
    time_updated: row.updated,
    shared_status: row.shared_status,
    current_alternate_model: row.alternate_model,
    current_temperature_override: row.temperature_override,
  };
}
