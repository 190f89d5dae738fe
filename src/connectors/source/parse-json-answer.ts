import type { z } from 'zod';
import type { OutboundResponse } from '#src/platform/http.ts';

/**
 * The response parsed by its schema, or what is wrong with it, as the rest of a sentence that begins with the source.
 */
export function parseJsonAnswer<T>(
  response: OutboundResponse,
  schema: z.ZodType<T>,
): { data: T } | { problem: string } {
  let json: unknown;
  try {
    json = JSON.parse(response.text());
  } catch {
    const type = response.headers.get('content-type') ?? 'no content type';
    return { problem: `answered ${response.status} with something other than JSON (${type}).` };
  }
  const parsed = schema.safeParse(json);
  if (parsed.success) return { data: parsed.data };
  const [issue] = parsed.error.issues;
  const field = issue === undefined || issue.path.length === 0 ? 'the answer' : pathOf(issue.path);
  return {
    problem: `answered ${response.status} with JSON of an unexpected shape: ${field}: ${issue?.message ?? 'invalid'}.`,
  };
}

/** `issues[3].fields.updated` */
function pathOf(path: readonly PropertyKey[]): string {
  return path
    .map((key) => (typeof key === 'number' ? `[${key}]` : `.${String(key)}`))
    .join('')
    .replace(/^\./, '');
}
