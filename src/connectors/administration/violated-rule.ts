/** SQLSTATE 23505, https://www.postgresql.org/docs/current/errcodes-appendix.html */
export function isDuplicate(error: unknown): boolean {
  return codeOf(error) === '23505';
}

/** SQLSTATE 23503 and 23001: a row that this one references is gone, or other rows still reference this one. */
export function isStillReferred(error: unknown): boolean {
  return ['23503', '23001'].includes(String(codeOf(error)));
}

function codeOf(error: unknown): unknown {
  return error instanceof Error && 'code' in error ? error.code : undefined;
}
