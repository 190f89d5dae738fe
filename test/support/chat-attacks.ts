import type { AttackValues } from './connector-attacks.ts';
import type { OwnThings } from './seed-chat.ts';
import type { SeededWorkspace } from './seed-workspace.ts';

const AN_HOUR_MS = 3_600_000;
const SEND = 'POST /chat/send-chat-message';

/** Requests that target the conversations of A's owner; `own` is what the attacker has. */
export function chatAttacks(a: SeededWorkspace, own: OwnThings): AttackValues {
  const sessions = [a.chatSessionId, a.sharedSessionId];
  const byId = sessions.map((id) => ({ id }));
  const bySessionId = sessions.map((id) => ({ session_id: id }));
  const byChatSessionId = sessions.map((id) => ({ chat_session_id: id }));
  return {
    paths: {
      'POST /chat/stop-chat-session/{chat_session_id}': byChatSessionId,
      'GET /chat/chat-session/{chat_session_id}/resume-stream': byChatSessionId,
      // With is_shared, colleagues may see the shared session.
      'GET /chat/get-chat-session/{id}': { id: a.chatSessionId },
      'PATCH /chat/chat-session/{id}': byId,
      'DELETE /chat/delete-chat-session/{id}': byId,
      'GET /chat/available-context-tokens/{session_id}': bySessionId,
      'DELETE /chat/session/{session_id}': bySessionId,
    },
    queries: queriesAt(a),
    bodies: { ...questionsAt(a, own), ...changesAt(a) },
    headers: {
      'GET /chat/chat-session/{chat_session_id}/resume-stream': { 'Last-Event-ID': '0' },
    },
  };
}

function queriesAt(a: SeededWorkspace): AttackValues['queries'] {
  const later = Date.now() + AN_HOUR_MS;
  const cursor = Buffer.from(`${later}000:${a.chatSessionId}`).toString('base64url');
  return {
    'GET /chat/chat-session/{chat_session_id}/resume-stream': ['', '?cursor=0', '?cursor=1'],
    'GET /chat/get-user-chat-sessions': [
      '?only_non_project_chats=false&include_failed_chats=true&page_size=100',
      `?project_id=${a.projectId}`,
      `?before=${new Date(later).toISOString()}`,
    ],
    'GET /chat/get-chat-session/{id}': ['', '?include_deleted=true', '?is_shared=true'],
    'DELETE /chat/delete-chat-session/{id}': ['', '?hard_delete=true'],
    'DELETE /chat/delete-all-chat-sessions': ['', '?hard_delete=true'],
    'GET /chat/search': ['', '?query=harbour', '?query=deep&page=1&page_size=100'],
    'GET /chat/max-selected-document-tokens': [
      `?persona_id=${a.agentId}`,
      `?persona_id=${a.publicAgentId}`,
    ],
    'DELETE /chat/remove-chat-message-feedback': [
      `?chat_message_id=${a.messageId}`,
      `?chat_message_id=${a.questionId}`,
    ],
    'GET /chat/session': ['', '?limit=1000', `?cursor=${cursor}`],
  };
}

/** Questions in A's sessions and project, with A's files and tools, to A's agents. */
function questionsAt(a: SeededWorkspace, own: OwnThings): AttackValues['bodies'] {
  const message = 'How deep is the harbour?';
  const asked = { message, stream: false };
  const ofA = { chat_session_id: a.chatSessionId };
  const ofOwn = { chat_session_id: own.chatSessionId };
  const history = [{ message, role: 'user' }];
  return {
    [SEND]: [
      asked,
      { message, stream: true },
      { ...asked, ...ofA },
      { message, ...ofA, stream: true },
      { ...asked, chat_session_id: a.sharedSessionId },
      { ...asked, ...ofA, parent_message_id: a.messageId },
      { ...asked, ...ofOwn, parent_message_id: a.messageId },
      { ...asked, ...ofOwn, parent_message_id: a.questionId },
      { ...asked, parent_message_id: a.messageId },
      { ...asked, chat_session_info: { persona_id: a.agentId } },
      { ...asked, chat_session_info: { persona_id: a.publicAgentId } },
      { ...asked, chat_session_info: { persona_id: 0, project_id: a.projectId } },
      { ...asked, file_descriptors: [a.chatFileId] },
      { ...asked, file_descriptors: [a.userFileId] },
      { ...asked, file_descriptors: [a.storedFileId] },
      { ...asked, file_descriptors: [{ id: own.chatFileId, user_file_id: a.userFileId }] },
      { ...asked, file_descriptors: [{ id: a.chatFileId, user_file_id: own.userFileId }] },
      { ...asked, forced_tool_id: a.customToolId },
      { ...asked, allowed_tool_ids: [1, a.customToolId, a.mcpToolId] },
      { ...asked, search_filters: { document_set: [a.documentSet] } },
      { ...asked, search_filters: { tags: [{ tag_key: 'place', tag_value: a.marker }] } },
      { ...asked, deep_research: true },
    ],
    'POST /chat/send-message': [
      { session_id: a.chatSessionId, message },
      { session_id: a.sharedSessionId, message },
      { session_id: own.chatSessionId, message },
      { ...ofA, message, parent_message_id: null, search_doc_ids: null, retrieval_options: {} },
      { ...ofOwn, message, parent_message_id: a.messageId, file_descriptors: [a.chatFileId] },
    ],
    'POST /chat/send-message-simple-api': [
      { ...ofA, message },
      { ...ofOwn, message },
      { persona_id: a.agentId, message },
    ],
    'POST /chat/send-message-simple-with-history': [
      { persona_id: a.agentId, messages: history },
      { persona_id: 0, messages: history },
    ],
    'POST /chat/create-chat-session': [
      { persona_id: a.agentId },
      { persona_id: a.publicAgentId },
      { project_id: a.projectId },
    ],
    'POST /chat/session': [{ title: 'Mine', session_id: a.chatSessionId }],
  };
}

function changesAt(a: SeededWorkspace): AttackValues['bodies'] {
  const sessions = [a.chatSessionId, a.sharedSessionId];
  return {
    'PUT /chat/rename-chat-session': sessions.flatMap((id) => [
      { chat_session_id: id, name: 'Taken' },
      { chat_session_id: id, name: null },
    ]),
    'PATCH /chat/chat-session/{id}': [{ sharing_status: 'public' }, { sharing_status: 'private' }],
    'PUT /chat/update-chat-session-temperature': sessions.map((id) => ({
      chat_session_id: id,
      temperature_override: 1.5,
    })),
    'PUT /chat/update-chat-session-model': sessions.map((id) => ({
      chat_session_id: id,
      new_alternate_model: null,
    })),
    'POST /chat/create-chat-message-feedback': [
      { chat_message_id: a.messageId, is_positive: false },
      { chat_message_id: a.messageId, feedback_text: 'Taken' },
    ],
    'PUT /chat/set-message-as-latest': [{ message_id: a.messageId }, { message_id: a.questionId }],
  };
}
