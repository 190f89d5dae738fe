import type { Answer } from './api-client.ts';
import type { TestMillrace } from './test-millrace.ts';
import { until } from './until.ts';

export interface PairOfSource {
  connectorId: number;
  credentialId: number;
  pairId: number;
}

export interface SourceToLink {
  name: string;
  settings: Record<string, unknown>;
  credential: Record<string, unknown>;
}

/** A connector request for a tracker, overridden by `changes`. */
export function trackerRequest(
  name: string,
  settings: Record<string, unknown>,
  changes: Record<string, unknown> = {},
): Record<string, unknown> {
  return {
    name,
    source: 'tracker',
    input_type: 'poll',
    access_type: 'PUBLIC',
    connector_specific_config: settings,
    refresh_freq: null,
    prune_freq: null,
    ...changes,
  };
}

export function link(
  { call }: Pick<TestMillrace, 'call'>,
  connectorId: number,
  credentialId: number,
  body?: object,
): Promise<Answer> {
  return call('PUT', `/manage/admin/connector/${connectorId}/credential/${credentialId}`, body);
}

/** Creates a tracker connector and a credential, links them, and waits for the end of the first run. */
export async function linkTracker(
  millrace: TestMillrace,
  { name, settings, credential }: SourceToLink,
  changes: Record<string, unknown> = {},
): Promise<PairOfSource> {
  const connectorId = await idOf(
    millrace.call('POST', '/manage/admin/connector', trackerRequest(name, settings, changes)),
  );
  const credentialId = await idOf(
    millrace.call('POST', '/manage/credential', {
      name,
      source: 'tracker',
      credential_json: credential,
      admin_public: true,
    }),
  );
  const linked = await link(millrace, connectorId, credentialId);
  if (!linked.body.success) throw new Error(`Not linked: ${linked.text}`);
  const pairId: number = linked.body.data;
  await runEnded(millrace, pairId);
  await millrace.settled();
  return { connectorId, credentialId, pairId };
}

/** Waits until no run of the pair is waiting or in progress. */
export async function runEnded(millrace: TestMillrace, pairId: number): Promise<void> {
  await until(async () => {
    const { body } = await millrace.call('GET', `/manage/admin/cc-pair/${pairId}`);
    return body.indexing === false;
  });
}

async function idOf(answer: Promise<Answer>): Promise<number> {
  const { status, body, text } = await answer;
  if (status !== 200) throw new Error(`Expected an id, got ${text}`);
  return body.id;
}
