import type { z } from 'zod';
import { Problem } from '#src/platform/errors.ts';
import type { AnyConnector } from '#src/connectors/source/connector.ts';
import { CONNECTORS, findConnector, sourcesOf } from '#src/connectors/kinds/registry.ts';

const MAX_ISSUES = 5;
const HELP = 'GET /manage/admin/connector-kinds lists what each kind takes.';

type Issue = z.core.$ZodIssue;

/**
 * @throws Problem BAD_REQUEST that lists the known sources
 */
export function kindOfSource(source: string): AnyConnector {
  const connector = findConnector(source);
  if (connector) return connector;
  const known = CONNECTORS.map((connector) => sourcesOf(connector).join('/')).join(', ');
  throw new Problem(
    'BAD_REQUEST',
    `body.source: there is no connector for ${JSON.stringify(source.slice(0, 100))}. Known: ${known}.`,
  );
}

/** @throws Problem BAD_REQUEST that names each wrong field below `place` */
export function validateSettings(
  connector: AnyConnector,
  settings: Record<string, unknown>,
  place = 'body.connector_specific_config',
): unknown {
  return parseAt(place, connector.settings, settings);
}

/** @throws Problem BAD_REQUEST that names each wrong field below `place`; values are never repeated */
export function validateCredential(
  connector: AnyConnector,
  credential: Record<string, unknown>,
  place = 'body.credential_json',
): unknown {
  return parseAt(place, connector.credential, credential);
}

/** Whether the kind can be polled with the built-in empty credential. */
export function takesEmptyCredential(connector: AnyConnector): boolean {
  return connector.credential.safeParse({}).success;
}

function parseAt<T>(place: string, schema: z.ZodType<T>, value: unknown): T {
  const parsed = schema.safeParse(value);
  if (parsed.success) return parsed.data;
  const sentences = parsed.error.issues.flatMap((issue) => explain(place, issue));
  const shown = sentences.slice(0, MAX_ISSUES).join('; ');
  const more = sentences.length > MAX_ISSUES ? `; and ${sentences.length - MAX_ISSUES} more` : '';
  throw new Problem('BAD_REQUEST', `${shown}${more}. ${HELP}`);
}

function explain(place: string, issue: Issue): string[] {
  const field = fieldName(place, issue.path);
  if (issue.code === 'unrecognized_keys') {
    return issue.keys.map((key) => `${field}.${key.slice(0, 100)}: is not known`);
  }
  if (issue.code === 'invalid_union') {
    const [nearest] = issue.errors
      .flatMap((issues) => issues.slice(0, 1))
      .toSorted((a, b) => b.path.length - a.path.length);
    if (nearest && nearest.path.length > 0) return explain(field, nearest);
  }
  return [`${field}: ${issue.message}`];
}

function fieldName(place: string, path: readonly PropertyKey[]): string {
  return path.reduce<string>(
    (name, key) => (typeof key === 'number' ? `${name}[${key}]` : `${name}.${String(key)}`),
    place,
  );
}
