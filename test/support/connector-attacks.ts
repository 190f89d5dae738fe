import type { SeededWorkspace } from './seed-workspace.ts';

/** Values for a route's path (several make one request each), queries, bodies and headers, by `METHOD /path`. */
export interface AttackValues {
  paths: Record<string, Record<string, string> | Record<string, string>[]>;
  queries: Record<string, string[]>;
  bodies: Record<string, unknown[]>;
  headers: Record<string, Record<string, string>>;
}

const connectorOf = (source: string, connector_specific_config: object) => ({
  name: 'Taken',
  source,
  input_type: 'poll',
  access_type: 'public',
  connector_specific_config,
});
const TAKEN_CREDENTIAL = {
  name: 'Taken',
  source: 'tracker',
  admin_public: true,
  credential_json: { jira_api_token: 'taken' },
};
/** Parts of a form with the boundary `b`. */
export const formOf = (...parts: [name: string, content: string][]) =>
  `${parts
    .map(
      ([name, content]) =>
        `--b\r\nContent-Disposition: form-data; name="${name}"${name === 'files' ? '; filename="taken.txt"' : ''}\r\n\r\n${content}\r\n`,
    )
    .join('')}--b--\r\n`;
export const FORM = { 'Content-Type': 'multipart/form-data; boundary=b' };

/** Requests of B that target A's connectors, credentials, pairs, files and document sets. */
export function connectorAttacks(a: SeededWorkspace, b: SeededWorkspace): AttackValues {
  const filesOfA = { id: String(a.fileConnectorId) };
  const linkOfA = {
    connector_id: String(a.connectorId),
    credential_id: String(a.credentialId),
  };
  const credentialOfA = { id: String(a.credentialId) };
  const pairOfA = { id: String(a.linkedPairId) };

  const paths: AttackValues['paths'] = {
    'GET /manage/admin/connector/{id}': filesOfA,
    'GET /manage/connector/{id}': filesOfA,
    'PATCH /manage/admin/connector/{id}': filesOfA,
    'DELETE /manage/admin/connector/{id}': filesOfA,
    'GET /manage/admin/connector/{id}/files': filesOfA,
    'POST /manage/admin/connector/{id}/files/update': filesOfA,
    'PUT /manage/admin/connector/{connector_id}/credential/{credential_id}': {
      connector_id: String(a.fileConnectorId),
      credential_id: '0',
    },
    'PUT /manage/connector/{connector_id}/credential/{credential_id}': {
      connector_id: String(b.connectorId),
      credential_id: String(a.credentialId),
    },
    'DELETE /manage/admin/connector/{connector_id}/credential/{credential_id}': linkOfA,
    'DELETE /manage/connector/{connector_id}/credential/{credential_id}': linkOfA,
    'GET /manage/credential/{id}': credentialOfA,
    'GET /manage/admin/credential/{id}': credentialOfA,
    'PATCH /manage/credential/{id}': credentialOfA,
    'PATCH /manage/admin/credential/{id}': credentialOfA,
    'DELETE /manage/credential/{id}': credentialOfA,
    'DELETE /manage/admin/credential/{id}': credentialOfA,
    'DELETE /manage/credential/force/{id}': credentialOfA,
    'DELETE /manage/admin/credential/force/{id}': credentialOfA,
    'PUT /manage/admin/credential/{id}': credentialOfA,
    'GET /manage/admin/similar-credentials/{source_type}': { source_type: 'tracker' },
    'GET /manage/admin/cc-pair/{id}': pairOfA,
    'GET /manage/admin/cc-pair/{id}/last_pruned': pairOfA,
    'PUT /manage/admin/cc-pair/{id}/status': pairOfA,
    'PUT /manage/admin/cc-pair/{id}/name': pairOfA,
    'PUT /manage/admin/cc-pair/{id}/property': pairOfA,
    'POST /manage/admin/cc-pair/{id}/run': pairOfA,
    'POST /manage/admin/cc-pair/{id}/prune': pairOfA,
    'GET /manage/admin/cc-pair/{id}/index-attempts': pairOfA,
    'GET /manage/admin/cc-pair/{id}/errors': pairOfA,
    'GET /manage/admin/cc-pair/{id}/prune-attempts': pairOfA,
    'GET /manage/admin/cc-pair/{id}/get-docs-sync-status': pairOfA,
    'GET /manage/admin/cc-pair/{id}/index-attempts/{attempt_id}': {
      id: String(b.linkedPairId),
      attempt_id: String(a.attemptId),
    },
    'DELETE /manage/admin/document-set/{id}': { id: String(a.documentSetId) },
  };
  const headers = {
    'POST /manage/admin/connector/file/upload': FORM,
    'POST /manage/admin/connector/{id}/files/update': FORM,
  };
  return { paths, queries: queriesAt(a), bodies: bodiesAt(a, b), headers };
}

function queriesAt(a: SeededWorkspace): AttackValues['queries'] {
  return {
    'GET /manage/admin/connector': ['', `?credential=${a.credentialId}`, '?credential=0'],
    'GET /manage/connector': ['', `?credential=${a.credentialId}`],
    'GET /manage/admin/connector/failed-indexing-status': [''],
    'PUT /manage/admin/cc-pair/{id}/name': ['?new_name=Taken'],
    'GET /manage/admin/cc-pair/{id}/index-attempts': ['', '?page_size=1000'],
    'GET /manage/admin/cc-pair/{id}/errors': ['?include_resolved=true&page_size=100'],
    'GET /manage/admin/cc-pair/{id}/prune-attempts': [''],
    'GET /manage/admin/cc-pair/{id}/get-docs-sync-status': [''],
    'POST /manage/admin/connector/file/upload': ['', '?unzip=true'],
  };
}

function bodiesAt(a: SeededWorkspace, b: SeededWorkspace): AttackValues['bodies'] {
  return {
    'POST /manage/admin/connector': [
      { ...connectorOf('tracker', { tracker_base_url: 'https://taken.test' }), id: a.connectorId },
    ],
    'PATCH /manage/admin/connector/{id}': [
      connectorOf('file', { file_locations: [b.storedFileId] }),
    ],
    'POST /manage/admin/connector-with-mock-credential': [
      connectorOf('file', { file_locations: [a.storedFileId] }),
    ],
    'POST /manage/admin/connector/with-credential': [
      {
        ...connectorOf('tracker', { tracker_base_url: 'https://taken.test' }),
        credential_id: a.credentialId,
      },
      { ...connectorOf('file', { file_locations: [a.storedFileId] }), credential_id: 0 },
    ],
    'POST /manage/admin/connector/check': [
      {
        source: 'tracker',
        connector_specific_config: { tracker_base_url: 'https://taken.test' },
        credential_id: a.credentialId,
      },
      {
        source: 'file',
        connector_specific_config: { file_locations: [a.storedFileId] },
        credential_id: 0,
      },
    ],
    'POST /manage/admin/connector/run-once': [
      { connector_id: a.connectorId },
      { connector_id: b.connectorId, credential_ids: [a.credentialId], from_beginning: true },
    ],
    'POST /manage/admin/connector/indexing-status': [{ get_all_connectors: true }],
    'PUT /manage/admin/connector/{connector_id}/credential/{credential_id}': [
      undefined,
      { name: 'Taken' },
    ],
    'PUT /manage/connector/{connector_id}/credential/{credential_id}': [{}],
    'POST /manage/admin/deletion-attempt': [
      { connector_id: a.connectorId, credential_id: a.credentialId },
      { connector_id: b.connectorId, credential_id: a.credentialId },
    ],
    'POST /manage/credential': [{ ...TAKEN_CREDENTIAL, id: a.credentialId }],
    'POST /manage/admin/credential': [TAKEN_CREDENTIAL],
    'PATCH /manage/credential/{id}': [TAKEN_CREDENTIAL],
    'PATCH /manage/admin/credential/{id}': [TAKEN_CREDENTIAL],
    'PUT /manage/admin/credential/{id}': [TAKEN_CREDENTIAL],
    'PUT /manage/admin/credential/swap': [
      { connector_id: a.connectorId, new_credential_id: b.credentialId },
      { connector_id: b.connectorId, new_credential_id: a.credentialId },
    ],
    'PUT /manage/admin/cc-pair/{id}/status': [{ status: 'PAUSED' }, { status: 'ACTIVE' }],
    'PUT /manage/admin/cc-pair/{id}/property': [{ name: 'refresh_frequency', value: '60' }],
    'POST /manage/admin/cc-pair/{id}/run': [undefined, { from_beginning: true }],
    'POST /manage/admin/cc-pair/{id}/prune': [undefined, { confirm_prune_attempt_id: a.pruneId }],
    'POST /manage/admin/document-set': [{ name: 'Taken', cc_pair_ids: [a.linkedPairId] }],
    'PATCH /manage/admin/document-set': [
      { id: a.documentSetId, name: 'Taken', cc_pair_ids: [b.pairId] },
      { id: b.documentSetId, cc_pair_ids: [a.pairId] },
    ],
    'POST /manage/admin/connector/file/upload': [formOf(['files', 'Mine.'])],
    'POST /manage/admin/connector/{id}/files/update': [
      formOf(['files', 'Mine.'], ['file_ids_to_remove', JSON.stringify([a.storedFileId])]),
    ],
  };
}
