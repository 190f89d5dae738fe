import type { Route } from '#src/api/route.ts';
import type { Answer } from './api-client.ts';
import { chatAttacks } from './chat-attacks.ts';
import { chatThingAttacks } from './chat-thing-attacks.ts';
import { type AttackValues, connectorAttacks, FORM, formOf } from './connector-attacks.ts';
import { operationsAttacks } from './operations-attacks.ts';
import { outreachAttacks } from './outreach-attacks.ts';
import type { SeededWorkspace } from './seed-workspace.ts';
import { signInAttacks } from './sign-in-attacks.ts';
import { webhookAttacks } from './webhook-attacks.ts';

/** A request by another workspace that targets A's resources. */
export interface Attack {
  method: string;
  path: string;
  body: unknown;
  headers: Record<string, string>;
}

/** The requests to a route by which B targets A's resources. @throws when a part of the route has no attack values */
export function attacksOn(route: Route, a: SeededWorkspace, b: SeededWorkspace): Attack[] {
  const name = `${route.method} ${route.path}`;
  const values = [
    accountAttacks(a),
    documentAttacks(a),
    connectorAttacks(a, b),
    outreachAttacks(a),
    webhookAttacks(a),
    chatAttacks(a, b),
    chatThingAttacks(a, b),
    signInAttacks(a),
    operationsAttacks(a),
  ];
  const places = values.find(({ paths }) => paths[name])?.paths[name];
  const queries = values.find((one) => one.queries[name])?.queries[name];
  const bodies = values.find((one) => one.bodies[name])?.bodies[name];
  const headers = values.find((one) => one.headers[name])?.headers[name] ?? {};
  const missing = [
    route.path.includes('{') && !places ? 'paths' : '',
    route.query !== null && !queries ? 'queries' : '',
    (route.body !== null || route.rawBody) && !bodies ? 'bodies' : '',
  ].filter(Boolean);
  if (missing.length > 0) throw new Error(`${name} needs an entry in ${missing.join(', ')}.`);
  return [places ?? {}].flat().flatMap((place) => {
    const path = route.path.replaceAll(/\{(\w+)\}/g, (whole, parameter: string) => {
      const value = place[parameter];
      if (value === undefined) throw new Error(`${name}: its paths do not fill ${whole}.`);
      return encodeURIComponent(value);
    });
    return (queries ?? ['']).flatMap((query) =>
      (bodies ?? [undefined]).map((body) => ({
        method: route.method,
        path: path + query,
        body,
        headers,
      })),
    );
  });
}

/** The secrets in an answer that its request did not name. */
export function leakedIn(answer: Answer, attack: Attack, secrets: readonly string[]): string[] {
  const sent = attack.path + JSON.stringify(attack.body ?? '');
  return secrets.filter((secret) => answer.text.includes(secret) && !sent.includes(secret));
}

function accountAttacks(a: SeededWorkspace): AttackValues {
  return {
    paths: { 'DELETE /account/api-keys/{id}': { id: a.apiKeyId } },
    queries: {},
    bodies: {
      'POST /account/api-keys': [{ name: 'Mine', role: 'admin', workspace_id: a.workspaceId }],
      'POST /manage/admin/workspaces': [{ name: 'Mine', workspace_id: a.workspaceId }],
      'POST /manage/admin/encryption-keys/reseal': [{ after: `credential.secret:${a.pairId}` }],
      'POST /image-generation/generate': [{ prompt: `A lighthouse of ${a.workspaceId}` }],
    },
    headers: {},
  };
}

function documentAttacks(a: SeededWorkspace): AttackValues {
  const documentOfA = { document_id: a.documentIds[1] ?? '' };
  const theft = (id: string) => ({
    document: { id, semantic_identifier: 'Taken', sections: [{ text: 'Overwritten.' }] },
    cc_pair_id: a.pairId,
  });
  const picture = {
    document: {
      id: 'picture',
      semantic_identifier: 'Picture',
      sections: [{ text: 'Of a file of A.', image_file_id: a.chatFileId }],
    },
  };
  return {
    paths: {
      'GET /service-api/ingestion/{document_id}': documentOfA,
      'GET /service-api/ingestion/{document_id}/chunks': documentOfA,
      'POST /service-api/ingestion/{document_id}/retry': documentOfA,
      'DELETE /service-api/ingestion/{document_id}': documentOfA,
      'PATCH /service-api/ingestion/{document_id}': documentOfA,
    },
    queries: {
      'GET /service-api/ingestion/{document_id}/chunks': ['', '?from=0&limit=200'],
      'GET /manage/admin/doc-boosts': ['', '?ascending=true&limit=1000'],
      'GET /service-api/ingestion': [
        '',
        `?cc_pair_id=${a.pairId}`,
        '?limit=1000',
        '?source=web',
        `?q=${a.marker.slice(0, 4)}`,
        `?document_set=${encodeURIComponent(a.documentSet)}`,
      ],
      'GET /documents/count': ['', `?cc_pair_id=${a.pairId}`, `?q=${a.marker}`],
    },
    bodies: {
      'POST /service-api/ingestion': [...a.documentIds.map(theft), picture],
      'POST /service-api/ingestion/batch': [{ documents: a.documentIds.map(theft) }],
      'PATCH /service-api/ingestion/{document_id}': [{ hidden: true, boost: -100 }],
      'POST /documents/retry': changesOf(a),
      'POST /documents/delete': changesOf(a),
      'POST /documents/files': [formOf(['files', 'Mine.'])],
      'POST /manage/admin/doc-boosts': [{ ...documentOfA, boost: -100 }],
      'PATCH /search/settings': [{ recency_bias: 'auto', synonyms: [['pier', 'harbour']] }],
      'POST /search/suggest': [{ query: a.marker.slice(0, 4) }, { query: 'h', limit: 20 }],
      'POST /manage/admin/doc-hidden': [{ ...documentOfA, hidden: true }],
      'POST /search': [
        { query: 'how deep is the harbour', limit: 100 },
        { query: 'harbour', search_filters: { document_set: [a.documentSet] } },
        { query: 'harbour', search_filters: { tags: { place: a.marker } } },
      ],
    },
    headers: { 'POST /documents/files': FORM },
  };
}

function changesOf(a: SeededWorkspace): unknown[] {
  return [
    { document_ids: a.documentIds },
    { matching: { cc_pair_id: a.pairId } },
    { matching: { q: a.marker } },
  ];
}
