/** Unvalidated JSON. */
// oxlint-disable-next-line typescript/no-explicit-any -- a description is walked, not typed
export type Json = { [key: string]: any };

/** One operation of `/openapi.json`. */
export interface Operation {
  method: string;
  path: string;
  queryNames: string[];
  /** A body that its schema accepts; undefined when it takes none. */
  sample: unknown;
}

/** Nothing listens there, and the service must be allowed to connect to it. */
const CLOSED_URL = 'http://127.0.0.1:4999/hook';
const PAGE = 'https://shop.example.com/done';
const AN_HOUR_MS = 3_600_000;

/** Nothing listens there either. */
const SENDER = {
  email: 'sender@example.net',
  smtp_host: '127.0.0.1',
  smtp_port: 2525,
  time_zone: 'Europe/Berlin',
  daily_limit: 100,
};

/** Optional references of a question, all empty. */
const UNNAMED = {
  llm_override: null,
  llm_overrides: null,
  allowed_tool_ids: null,
  forced_tool_id: null,
  file_descriptors: [],
  search_filters: null,
  internal_search_filters: null,
};

/** A small OpenAPI definition that makes one tool. */
export const DEFINITION = {
  openapi: '3.1.0',
  info: { title: 'Gauge', version: '1' },
  servers: [{ url: 'http://127.0.0.1:4999' }],
  paths: {
    '/depth/{place}': {
      parameters: [{ name: 'place', in: 'path', required: true, schema: { type: 'string' } }],
      get: { operationId: 'depth', responses: { 200: { description: 'The depth' } } },
    },
  },
};

/** The other shape of `POST /chat/send-message`, recognized by its keys. */
export const LEGACY_MESSAGE = {
  ...UNNAMED,
  chat_session_id: '',
  message: 'How deep?',
  parent_message_id: -1,
  search_doc_ids: [],
  retrieval_options: { run_search: 'always', filters: null },
  temperature_override: 0.5,
};

/** Rules that no schema expresses: features that the service lacks, and things that must exist. */
const EXCEPTIONS: Record<string, Json> = {
  'POST /chat/send-chat-message': {
    ...UNNAMED,
    parent_message_id: -1,
    chat_session_id: '',
    chat_session_info: { persona_id: 0, project_id: null },
  },
  'POST /chat/send-message': { session_id: '', message: 'How deep?', temperature: 0.5 },
  'POST /chat/send-message-simple-api': {
    chat_session_id: null,
    persona_id: 0,
    retrieval_options: null,
  },
  'POST /chat/send-message-simple-with-history': { persona_id: 0, retrieval_options: null },
  'PUT /chat/update-chat-session-model': { new_alternate_model: null },
  'POST /chat/create-chat-session': { persona_id: 0, project_id: null },
  'POST /search/send-search-message': { filters: null },
  'POST /admin/search': { filters: null },
  'POST /admin/tool/custom': { definition: DEFINITION, oauth_config_id: null },
  'PUT /admin/tool/custom/{id}': { definition: DEFINITION, oauth_config_id: null },
  'POST /admin/tool/custom/validate': { definition: DEFINITION },
  'POST /persona': {
    task_prompt: '',
    tool_ids: null,
    document_set_ids: null,
    document_sets: null,
    llm_model_provider_override: null,
    model_provider: null,
    llm_model_version_override: null,
    model_version: null,
  },
  'POST /manage/admin/connector': {
    source: 'tracker',
    connector_specific_config: { tracker_base_url: 'https://issues.example.com' },
  },
  'POST /webhook-endpoints': { url: CLOSED_URL, enabled: true },
  'PATCH /webhook-endpoints/{id}': { url: CLOSED_URL, enabled: true },
  'POST /webhook-endpoints/{id}/recover': {
    since: new Date(Date.now() - AN_HOUR_MS).toISOString(),
    until: null,
  },
  'POST /do-not-contact': {
    emails: ['somebody@example.com'],
    domains: ['example.com'],
    note: null,
  },
  'POST /manage/admin/encryption-keys/reseal': { after: 'credential.secret:1' },
  'POST /privacy/erase': { emails: ['nobody@example.com'], domains: ['example.com'] },
  'POST /image-generation/generate': { prompt: 'A lighthouse' },
  'POST /web-search/open-urls': { urls: [CLOSED_URL] },
  'POST /email-accounts': SENDER,
  'PATCH /email-accounts/{id}': SENDER,
  'POST /tools/lead-scraper': { urls: undefined },
  'PATCH /bounce-mailboxes/{id}': { host: '93.184.216.34', port: 993, use_tls: true },
  'POST /email-accounts/{id}/verify': { test_recipient: 'somebody@example.net' },
  'POST /email-accounts/{id}/send': { to: 'somebody@example.net', reply_to: null },
  'PATCH /account': { time_zone: 'Europe/Berlin' },
  'POST /billing/checkout': { success_url: PAGE, cancel_url: PAGE },
  'POST /billing/portal': { return_url: PAGE },
};

/**
 * Operations that a body alone cannot satisfy: they name things that must exist, contact a source, or need a signature
 * or a setting.
 */
const IN_NEED = [
  'POST /bounce-mailboxes',
  'POST /manage/admin/connector-with-mock-credential',
  'POST /manage/admin/connector/with-credential',
  'POST /manage/admin/connector/check',
  'POST /manage/admin/connector/run-once',
  'POST /manage/admin/connector/file/upload',
  'POST /manage/admin/deletion-attempt',
  'PUT /manage/admin/credential/swap',
  'POST /manage/admin/document-set',
  'PATCH /manage/admin/document-set',
  'POST /chat/send-message',
  'PUT /chat/rename-chat-session',
  'PUT /chat/update-chat-session-temperature',
  'PUT /chat/update-chat-session-model',
  'POST /chat/create-chat-message-feedback',
  'PUT /chat/set-message-as-latest',
  'POST /user/projects/remove_chat_session',
  'POST /admin/mcp/servers',
  'POST /auth/sign-in/email',
  'POST /auth/sign-in/social',
  'POST /auth/request-password-reset',
  'POST /auth/reset-password',
  'POST /auth/change-password',
  'PUT /session/workspace',
  'PATCH /session/person',
  'DELETE /session/person',
  'POST /session/owner',
  'POST /session/sign-up',
  'POST /session/invitation',
  'POST /session/invitation/accept',
  'POST /billing/stripe/webhook',
  'POST /billing/checkout',
  'POST /billing/portal',
  'POST /image-generation/generate',
  'POST /web-search/search-lite',
  'POST /web-search/search',
];

/** Whether the sample alone makes a valid request. */
export function standsAlone({ method, path, sample }: Operation): boolean {
  return sample !== undefined && !path.includes('{') && !IN_NEED.includes(`${method} ${path}`);
}

/** The operations of an OpenAPI description. */
export function operationsOf(description: Json): Operation[] {
  return Object.entries(description['paths'] as Json).flatMap(([path, item]) =>
    Object.entries(item as Json).map(([method, operation]) => {
      const named = `${method.toUpperCase()} ${path}`;
      const schema: unknown = operation.requestBody?.content?.['application/json']?.schema;
      return {
        method: method.toUpperCase(),
        path,
        queryNames: (operation.parameters as Json[])
          .filter((one) => one['in'] === 'query')
          .map((one) => String(one['name'])),
        sample:
          schema === undefined
            ? undefined
            : { ...(sampleOf(schema as Json, description, 0) as Json), ...EXCEPTIONS[named] },
      };
    }),
  );
}

/** A value that a JSON Schema accepts, with every optional field, down to eight levels. */
function sampleOf(schema: Json, description: Json, depth: number): unknown {
  if (depth > 8) return null;
  const inner = (one: Json) => sampleOf(one, description, depth + 1);
  if (typeof schema['$ref'] === 'string') {
    const name = schema['$ref'].replace('#/components/schemas/', '');
    return inner(description['components'].schemas[name]);
  }
  if (schema['const'] !== undefined) return schema['const'];
  if (Array.isArray(schema['enum'])) return schema['enum'][0];
  const branches: unknown = schema['anyOf'] ?? schema['oneOf'] ?? schema['allOf'];
  if (Array.isArray(branches)) return inner(branches[0]);
  switch ([schema['type']].flat()[0]) {
    case 'object':
      return Object.fromEntries(
        Object.entries((schema['properties'] ?? {}) as Json).map(([name, one]) => [
          name,
          inner(one),
        ]),
      );
    case 'array':
      return Array.from({ length: Math.max(1, Number(schema['minItems'] ?? 1)) }, () =>
        inner((schema['items'] ?? {}) as Json),
      );
    case 'string':
      return stringOf(schema);
    case 'integer':
    case 'number':
      return Math.max(1, Number(schema['minimum'] ?? 1));
    case 'boolean':
      return false;
    default:
      return 'anything';
  }
}

const TEXTS = [
  'file',
  '',
  '1',
  '2024-01-01T00:00:00Z',
  '6f9619ff-8b86-4d01-b42d-00cf4fc964ff',
  'somebody@example.com',
];

function stringOf({ pattern }: Json): string {
  const fits = (text: string) => pattern === undefined || new RegExp(pattern).test(text);
  return TEXTS.find(fits) ?? '';
}
