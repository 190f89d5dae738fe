import type { Config } from '#src/platform/config.ts';
import { Problem } from '#src/platform/errors.ts';

/**
 * Where Stripe redirects the browser afterwards: the given URL, or the service's own page.
 * @throws Problem BAD_REQUEST when there is neither
 */
export function returnPage(
  { PUBLIC_URL: publicUrl }: Pick<Config, 'PUBLIC_URL'>,
  given: string | null,
  { field, query }: { field: string; query: string },
): string {
  if (given !== null) return given;
  if (publicUrl !== undefined) return `${publicUrl.replace(/\/+$/, '')}/${query}`;
  throw new Problem(
    'BAD_REQUEST',
    `body.${field}: must be a URL to return to, because PUBLIC_URL is not set.`,
  );
}
