import { z } from 'zod';
import type { ApiClient } from './api-client.ts';
import { CommandFailure } from './exit.ts';

export interface CreateOptions {
  source: string;
  name: string;
  config: Record<string, unknown>;
  credential?: number;
  credentialJson?: Record<string, unknown>;
  refresh?: number;
  prune?: number;
  access: string;
}

const made = z.object({ id: z.number() });
const linked = z.object({
  success: z.boolean(),
  message: z.string().nullable(),
  data: z.number().nullable(),
});

/**
 * Creates a connector, a credential if one was given, and the link between them: all or nothing.
 * @throws ApiFailure naming the wrong field, or with the source's own message
 */
export async function createConnector(
  client: ApiClient,
  options: CreateOptions,
): Promise<{ connector_id: number; credential_id: number; cc_pair_id: number }> {
  const { id: connector } = await client.json('POST', '/manage/admin/connector', made, {
    body: {
      name: options.name,
      source: options.source,
      input_type: 'poll',
      access_type: options.access,
      connector_specific_config: options.config,
      refresh_freq: options.refresh ?? null,
      prune_freq: options.prune ?? null,
    },
  });
  const undo = [`/manage/admin/connector/${connector}`];
  try {
    const credential = options.credential ?? (await createCredential(client, options));
    if (options.credentialJson) undo.push(`/manage/credential/${credential}`);
    const path = `/manage/admin/connector/${connector}/credential/${credential}`;
    const { data, message } = await client.json('PUT', path, linked, { timeoutMs: 60_000 });
    if (data === null) throw new CommandFailure(message ?? 'The connector could not be linked.');
    return { connector_id: connector, credential_id: credential, cc_pair_id: data };
  } catch (error) {
    for (const path of undo) await client.json('DELETE', path, z.unknown()).catch(() => undefined);
    throw error;
  }
}

async function createCredential(client: ApiClient, options: CreateOptions): Promise<number> {
  if (!options.credentialJson) return 0;
  const { id } = await client.json('POST', '/manage/credential', made, {
    body: {
      credential_json: options.credentialJson,
      admin_public: true,
      source: options.source,
      name: options.name,
    },
  });
  return id;
}
