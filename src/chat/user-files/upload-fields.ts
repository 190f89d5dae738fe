import { z } from 'zod';
import { Problem } from '#src/platform/errors.ts';

const MAX_PROJECT_ID = 2_147_483_647;

const tempIds = z.record(z.string(), z.string().max(1_000));

/** @throws Problem BAD_REQUEST when it is not a whole number */
export function readProjectId(field: string | undefined): number | null {
  const text = field?.trim() ?? '';
  if (['', 'null', 'undefined'].includes(text)) return null;
  if (/^\d{1,10}$/.test(text) && Number(text) <= MAX_PROJECT_ID) return Number(text);
  throw new Problem('BAD_REQUEST', 'project_id must be the number of a project.');
}

/** @throws Problem BAD_REQUEST when it is not a JSON object of strings */
export function readTempIds(field: string | undefined): Map<string, string> {
  if (field === undefined || field.trim() === '') return new Map();
  const wrong = 'temp_id_map must be a JSON object of texts.';
  let value: unknown;
  try {
    value = JSON.parse(field);
  } catch (error) {
    throw new Problem('BAD_REQUEST', wrong, { cause: error });
  }
  const parsed = tempIds.safeParse(value);
  if (!parsed.success) throw new Problem('BAD_REQUEST', wrong);
  return new Map(Object.entries(parsed.data));
}
