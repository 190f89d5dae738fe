import { z } from 'zod';
import type { AnyConnector } from '#src/connectors/source/connector.ts';
import type { ConnectorRecord } from './connectors.ts';
import { sourcesOf } from '#src/connectors/kinds/registry.ts';

export const connectorSnapshotSchema = z
  .object({
    id: z.int(),
    name: z.string(),
    source: z.string().describe('As it was sent.'),
    input_type: z.string(),
    access_type: z.string(),
    connector_specific_config: z.record(z.string(), z.unknown()),
    refresh_freq: z.int().nullable(),
    prune_freq: z.int().nullable(),
    indexing_start: z.iso.datetime().nullable(),
    credential_ids: z.array(z.int()).describe('Of its pairs; 0 is the empty credential.'),
    time_created: z.iso.datetime(),
    time_updated: z.iso.datetime(),
  })
  .meta({ id: 'ConnectorSnapshot' });

export function presentConnector(
  connector: ConnectorRecord,
): z.input<typeof connectorSnapshotSchema> {
  return {
    id: connector.id,
    name: connector.name,
    source: connector.source,
    input_type: connector.input_type,
    access_type: connector.access_type,
    connector_specific_config: connector.settings,
    refresh_freq: connector.refresh_freq,
    prune_freq: connector.prune_freq,
    indexing_start: connector.indexing_start?.toISOString() ?? null,
    credential_ids: connector.credential_ids,
    time_created: connector.created_at.toISOString(),
    time_updated: connector.updated_at.toISOString(),
  };
}

const jsonSchema = z.record(z.string(), z.unknown()).describe('A JSON Schema.');

export const connectorKindSchema = z
  .object({
    kind: z.string(),
    aliases: z.array(z.string()).describe('Other names that are accepted as source.'),
    title: z.string(),
    summary: z.string(),
    settings: jsonSchema.describe('JSON Schema of connector_specific_config.'),
    credential: jsonSchema.describe('JSON Schema of credential_json.'),
    needs_credential: z.boolean().describe('False: it can be linked to credential 0.'),
    default_refresh_freq: z.int().describe('Seconds.'),
  })
  .meta({ id: 'ConnectorKind' });

export function presentKind(
  connector: AnyConnector,
  needsCredential: boolean,
): z.input<typeof connectorKindSchema> {
  return {
    kind: connector.kind,
    aliases: sourcesOf(connector).filter((source) => source !== connector.kind),
    title: connector.title,
    summary: connector.summary,
    settings: jsonSchemaOf(connector.settings),
    credential: jsonSchemaOf(connector.credential),
    needs_credential: needsCredential,
    default_refresh_freq: connector.defaultRefreshSeconds,
  };
}

/** As the client must send it; what JSON Schema cannot express is left open. */
function jsonSchemaOf(schema: z.ZodType): Record<string, unknown> {
  return { ...z.toJSONSchema(schema, { io: 'input', unrepresentable: 'any' }) };
}
