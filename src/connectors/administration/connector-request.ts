import { z } from 'zod';
import { isNestedDeeper } from '#src/platform/json-depth.ts';
import { displayName } from '#src/platform/display-name.ts';
import { MIN_PRUNE_SECONDS, MIN_REFRESH_SECONDS } from '#src/connectors/runs/next-run.ts';

/** Largest value of a Postgres `integer`. */
const MAX_INTEGER = 2_147_483_647;
const INPUT_TYPES = ['load_state', 'poll', 'event', 'slim_retrieval'] as const;

export const rowId = z.int().min(1).max(MAX_INTEGER);
/** 0 is the built-in empty credential. */
export const credentialRowId = z.int().min(0).max(MAX_INTEGER);

/** The same in a path or query. */
const given = z.coerce.number('must be a whole number').int('must be a whole number');
export const pathId = given.min(1).max(MAX_INTEGER);
export const pathCredentialId = given.min(0).max(MAX_INTEGER);

/** `public` or `private` in any case; stored as sent. */
export const accessType = z
  .string()
  .superRefine((text, context) => {
    const value = text.toLowerCase();
    if (value === 'public' || value === 'private') return;
    context.addIssue(
      value === 'sync'
        ? 'sync is not supported: permissions of the source are not mirrored. Send public or private'
        : 'must be public or private',
    );
  })
  .meta({
    enum: ['public', 'private', 'PUBLIC', 'PRIVATE'],
    description: 'public or private, in any case.',
  });

/** Group ids from clients that have groups; Millrace has none. */
const groups = z.array(z.int()).nullish().describe('Ignored.');

const seconds = (least: number) =>
  z
    .int()
    .min(least, `must be at least ${least} seconds, or null`)
    .max(MAX_INTEGER)
    .nullish()
    .transform((value) => value ?? null);

const timestamp = z.iso
  .datetime({
    offset: true,
    local: true,
    error: 'must be an ISO 8601 time such as 2026-05-31T08:30:00Z',
  })
  .transform((text) => new Date(/(?:z|[+-]\d\d:?\d\d)$/i.test(text) ? text : `${text}Z`))
  .refine((date) => /^(?!0000)\d{4}-/.test(isoOf(date)), 'must lie in the years 1 to 9999 of UTC');

/** JSON nested deeper than this cannot be serialized again. */
const MAX_DEPTH = 100;
const shallowObject = z
  .record(z.string(), z.unknown())
  .refine((value) => !isNestedDeeper(value, MAX_DEPTH), `is nested more than ${MAX_DEPTH} deep`);

/** `ConnectorUpdateRequest` of the OpenAPI document. */
export const connectorRequestSchema = z
  .object({
    name: displayName,
    source: z.string().trim().min(1).max(64),
    input_type: z.enum(INPUT_TYPES),
    access_type: accessType,
    connector_specific_config: shallowObject.describe(
      'The settings of the kind; GET /manage/admin/connector-kinds describes them.',
    ),
    refresh_freq: seconds(MIN_REFRESH_SECONDS).describe('Seconds between runs; null: once.'),
    prune_freq: seconds(MIN_PRUNE_SECONDS).describe('Seconds between prunes; null: on demand.'),
    indexing_start: timestamp
      .nullish()
      .transform((value) => value ?? null)
      .describe('Nothing older is polled.'),
    groups,
  })
  .meta({ id: 'ConnectorUpdateRequest' });

export type ConnectorRequest = z.output<typeof connectorRequestSchema>;

/** What a request may set on a new pair; the rest comes from the connector. */
export const linkRequestSchema = z
  .object({
    name: displayName.nullish().describe("The connector's name unless told."),
    access_type: accessType.nullish().describe("The connector's unless told."),
    auto_sync_options: z.record(z.string(), z.unknown()).nullish().describe('Ignored.'),
    groups,
    processing_mode: z
      .enum(['REGULAR'], 'only REGULAR is supported')
      .nullish()
      .describe('REGULAR alone.'),
  })
  .nullish()
  .transform((value) => ({
    name: value?.name ?? null,
    accessType: value?.access_type ?? null,
  }));

export type LinkRequest = z.output<typeof linkRequestSchema>;

const credentialJson = shallowObject.describe(
  'The keys of the kind; GET /manage/admin/connector-kinds describes them.',
);

/** What `checkGiven` asks a source with: a stored credential or one that is not stored yet. */
export const connectorCheckSchema = z
  .object({
    source: z.string().trim().min(1).max(64),
    connector_specific_config: shallowObject,
    credential_id: credentialRowId.optional().describe('0, the empty one, unless told.'),
    credential_json: credentialJson.optional(),
  })
  .refine(
    ({ credential_id, credential_json }) =>
      credential_id === undefined || credential_json === undefined,
    'send credential_id or credential_json, not both',
  );

export type ConnectorCheck = z.output<typeof connectorCheckSchema>;

export const credentialRequestSchema = z
  .object({
    credential_json: credentialJson,
    source: z
      .string()
      .trim()
      .regex(/^[a-zA-Z0-9][a-zA-Z0-9_-]{0,63}$/, 'must be a source such as slack or tracker'),
    name: displayName.nullish(),
    admin_public: z
      .boolean()
      .nullish()
      .describe('Whether other admins may see and link it; true unless told.'),
    curator_public: z.boolean().nullish(),
    groups,
  })
  .meta({ id: 'CredentialBase' });

export const credentialReplaceSchema = credentialRequestSchema
  .partial()
  .extend({ credential_json: credentialJson });

export const credentialMergeSchema = z.object({
  name: displayName.nullish(),
  credential_json: credentialJson,
});

function isoOf(date: Date): string {
  return Number.isNaN(date.getTime()) ? '' : date.toISOString();
}
