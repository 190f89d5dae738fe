import { type AttackValues, FORM, formOf } from './connector-attacks.ts';
import { documentOf, type OwnThings } from './seed-chat.ts';
import { type SeededWorkspace, SHARED_PAGE } from './seed-workspace.ts';

/** Requests that target A's agents, projects, files and tools; `own` is what the attacker has. */
export function chatThingAttacks(a: SeededWorkspace, own: OwnThings): AttackValues {
  return {
    paths: pathsAt(a, own),
    queries: {
      'GET /persona': ['', '?include_deleted=true&get_editable=true'],
      'POST /user/projects/create': ['', '?name=Mine'],
      'GET /query/valid-tags': [
        '',
        '?match_pattern=place',
        '?match_pattern=place&allow_prefix=false',
      ],
    },
    bodies: { ...agentBodiesAt(a), ...projectBodiesAt(a), ...toolBodiesAt(a), ...searches(a) },
    headers: { 'POST /user/projects/file/upload': FORM, 'POST /user/file/upload': FORM },
  };
}

function pathsAt(a: SeededWorkspace, own: OwnThings): AttackValues['paths'] {
  const agents = [a.agentId, a.publicAgentId].map((id) => ({ id: String(id) }));
  const project = { id: String(a.projectId) };
  const projectOfA = { project_id: String(a.projectId) };
  const files = [a.userFileId, a.chatFileId].map((file_id) => ({ file_id }));
  const mixed = [
    { ...projectOfA, file_id: a.userFileId },
    { ...projectOfA, file_id: own.userFileId },
    { project_id: String(own.projectId), file_id: a.userFileId },
  ];
  const tools = [a.customToolId, a.mcpToolId].map((id) => ({ id: String(id) }));
  const server = { id: String(a.mcpServerId) };
  return {
    'GET /persona/{id}': agents,
    'PATCH /persona/{id}': agents,
    'PUT /persona/{id}': agents,
    'DELETE /persona/{id}': agents,
    'GET /user/projects/{id}': project,
    'PATCH /user/projects/{id}': project,
    'DELETE /user/projects/{id}': project,
    'GET /user/projects/{id}/instructions': project,
    'POST /user/projects/{id}/instructions': project,
    'GET /user/projects/{id}/details': project,
    'GET /user/projects/files/{project_id}': projectOfA,
    'POST /user/projects/{project_id}/files/{file_id}': mixed,
    'DELETE /user/projects/{project_id}/files/{file_id}': mixed,
    'GET /user/projects/session/{chat_session_id}/files': { chat_session_id: a.chatSessionId },
    'POST /user/projects/{project_id}/move_chat_session': [
      projectOfA,
      { project_id: String(own.projectId) },
    ],
    'GET /user/projects/file/{file_id}': files,
    'DELETE /user/projects/file/{file_id}': files,
    'GET /chat/file/{file_id}': [...files, { file_id: a.storedFileId }],
    'GET /tool/{id}': tools,
    'PUT /admin/tool/custom/{id}': tools,
    'DELETE /admin/tool/custom/{id}': tools,
    'GET /admin/mcp/servers/{id}': server,
    'PUT /admin/mcp/servers/{id}': server,
    'DELETE /admin/mcp/servers/{id}': server,
    'POST /admin/mcp/servers/{id}/refresh': server,
  };
}

function agentBodiesAt(a: SeededWorkspace): AttackValues['bodies'] {
  const changes = [
    { name: 'Taken', system_prompt: 'Obey me.', is_public: true },
    { tool_ids: [], document_sets: [] },
  ];
  return {
    'POST /persona': [
      { name: 'Mine', id: a.agentId, workspace_id: a.workspaceId },
      { name: 'Mine', tool_ids: [a.customToolId] },
      { name: 'Mine', document_set_ids: [a.documentSetId] },
      { name: 'Mine', document_sets: [a.documentSet] },
    ],
    'PATCH /persona/{id}': changes,
    'PUT /persona/{id}': changes,
  };
}

function projectBodiesAt(a: SeededWorkspace): AttackValues['bodies'] {
  const session = { chat_session_id: a.chatSessionId };
  return {
    'POST /user/projects/create': [undefined, { name: 'Mine', id: a.projectId }],
    'PATCH /user/projects/{id}': [{ name: 'Taken' }, { instructions: null }],
    'POST /user/projects/{id}/instructions': [{ instructions: 'Obey me.' }],
    'POST /user/projects/{project_id}/move_chat_session': [session],
    'POST /user/projects/remove_chat_session': [session],
    'POST /user/projects/file/upload': [
      formOf(['files', 'Mine.']),
      formOf(['files', 'Mine.'], ['project_id', String(a.projectId)]),
    ],
    'POST /user/file/upload': [formOf(['files', 'Mine.'])],
    'POST /user/projects/file/statuses': [{ file_ids: [a.userFileId, a.chatFileId] }],
  };
}

function toolBodiesAt(a: SeededWorkspace): AttackValues['bodies'] {
  const definition = documentOf('taken');
  const changes = [
    { name: 'Taken' },
    { enabled: false },
    { enabled: true },
    { definition, custom_headers: [] },
  ];
  return {
    'POST /admin/tool/custom': [{ name: 'Mine', definition, id: a.customToolId }],
    'POST /admin/tool/custom/validate': [{ definition }],
    'PUT /admin/tool/custom/{id}': changes,
    'POST /admin/mcp/servers': [{ name: 'Mine', server_url: 'https://127.0.0.1:9/mcp' }],
    'PUT /admin/mcp/servers/{id}': [
      { name: 'Taken' },
      { enabled: false },
      { server_url: 'https://127.0.0.1:9/mcp', headers: [] },
    ],
  };
}

function searches(a: SeededWorkspace): AttackValues['bodies'] {
  const filters = { document_set: [a.documentSet] };
  const message = { search_query: 'harbour', num_hits: 100, include_content: true };
  return {
    'POST /admin/search': [{ query: '' }, { query: 'harbour' }, { query: 'harbour', filters }],
    'POST /search/send-search-message': [
      message,
      { ...message, stream: true },
      { ...message, filters },
    ],
    'POST /web-search/search-lite': [{ queries: ['harbour'] }],
    'POST /web-search/search': [{ queries: ['harbour'] }],
    // An indexed document is read when its id is the URL.
    'POST /web-search/open-urls': [{ urls: [SHARED_PAGE, `${SHARED_PAGE}/`] }],
  };
}
