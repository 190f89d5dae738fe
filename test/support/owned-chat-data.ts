import type { ChatUser } from './chat-stage.ts';
import type { TestMillrace } from './test-millrace.ts';
import { until } from './until.ts';
import { sendFiles } from './upload-files.ts';

/** One of everything that a chat user can own; each contains the marker. */
export interface OwnedChatData {
  readonly sessionId: string;
  readonly questionId: number;
  readonly answerId: number;
  readonly projectId: number;
  readonly userFileId: string;
  readonly storedFileId: string;
  readonly agentId: number;
}

export async function seedOwnedChatData(
  millrace: TestMillrace,
  user: ChatUser,
  marker: string,
): Promise<OwnedChatData> {
  const project = await user.call('POST', `/user/projects/create?name=${marker}`);
  const projectId: number = project.body.id;
  await user.call('POST', `/user/projects/${projectId}/instructions`, {
    instructions: `Say ${marker}.`,
  });
  const upload = await sendFiles(
    millrace,
    '/user/projects/file/upload',
    [['notes.txt', `The notes say ${marker}.`]],
    { key: user.key, fields: { project_id: String(projectId) } },
  );
  const { id: userFileId, file_id: storedFileId } = upload.body.user_files[0];
  await until(async () => {
    const { body } = await user.call('GET', `/user/projects/file/${userFileId}`);
    return body.status === 'COMPLETED';
  });
  const agent = await user.call('POST', '/persona', {
    name: `Agent ${marker}`,
    description: '',
    system_prompt: `Be ${marker}.`,
    is_public: false,
    tool_ids: [1],
  });
  const answer = await user.call('POST', '/chat/send-chat-message', {
    message: `Who is ${marker}?`,
    stream: false,
  });
  const { body: session } = await user.call(
    'GET',
    `/chat/get-chat-session/${answer.body.chat_session_id}`,
  );
  const { parent_message: questionId } = session.messages.at(-1);
  return {
    sessionId: answer.body.chat_session_id,
    questionId,
    answerId: answer.body.message_id,
    projectId,
    userFileId,
    storedFileId,
    agentId: agent.body.id,
  };
}

export type Attempt = [name: string, method: string, path: string, body?: unknown];

/** Every request that names a session, message, file, project or agent, filled with the ids in `theirs`. */
export function attemptsOn(theirs: OwnedChatData, own: OwnedChatData): Attempt[] {
  const ask = (name: string, more: object): Attempt => [
    name,
    'POST',
    '/chat/send-chat-message',
    { message: 'Who is it?', stream: false, ...more },
  ];
  const { sessionId, answerId, questionId, projectId, userFileId, storedFileId, agentId } = theirs;
  const prompt = { name: 'Mine', description: '', system_prompt: 'Mine' };
  return [
    ask('asks in the session', { chat_session_id: sessionId }),
    ask('asks below the answer', { chat_session_id: sessionId, parent_message_id: answerId }),
    ask('asks the question again', { chat_session_id: sessionId, parent_message_id: questionId }),
    ask('asks in its own session below the answer', {
      chat_session_id: own.sessionId,
      parent_message_id: answerId,
    }),
    ask('asks in its own session for the question again', {
      chat_session_id: own.sessionId,
      parent_message_id: questionId,
    }),
    ask('asks with the stored file', { file_descriptors: [{ id: storedFileId }] }),
    ask('asks with the user file', { file_descriptors: [userFileId] }),
    ask('asks with the user file beside one of its own', {
      file_descriptors: [{ id: own.storedFileId }, { id: own.storedFileId }, userFileId],
    }),
    ask('asks with the user file behind another id', {
      file_descriptors: [{ id: 'x', user_file_id: userFileId }],
    }),
    ask('asks in the project', { chat_session_info: { project_id: projectId } }),
    ask('asks the agent', { chat_session_info: { persona_id: agentId } }),
    [
      'asks by the reference',
      'POST',
      '/chat/send-message',
      { session_id: sessionId, message: 'x' },
    ],
    ...[
      { chat_session_id: sessionId, parent_message_id: null },
      { chat_session_id: own.sessionId, parent_message_id: answerId },
    ].map((place): Attempt => [
      'asks by the earlier endpoint',
      'POST',
      '/chat/send-message',
      { message: 'x', search_doc_ids: null, retrieval_options: null, prompt_id: 0, ...place },
    ]),
    [
      'asks by the simple endpoint',
      'POST',
      '/chat/send-message-simple-api',
      { message: 'x', chat_session_id: sessionId },
    ],
    ['stops it', 'POST', `/chat/stop-chat-session/${sessionId}`],
    ['follows it', 'GET', `/chat/chat-session/${sessionId}/resume-stream`],
    ['reads it', 'GET', `/chat/get-chat-session/${sessionId}`],
    ['reads it as a shared one', 'GET', `/chat/get-chat-session/${sessionId}?is_shared=true`],
    ['renames it', 'PUT', '/chat/rename-chat-session', { chat_session_id: sessionId, name: 'x' }],
    ['shares it', 'PATCH', `/chat/chat-session/${sessionId}`, { sharing_status: 'public' }],
    ['deletes it', 'DELETE', `/chat/delete-chat-session/${sessionId}`],
    ['deletes it for good', 'DELETE', `/chat/delete-chat-session/${sessionId}?hard_delete=true`],
    ['deletes it by the reference', 'DELETE', `/chat/session/${sessionId}`],
    [
      'sets its temperature',
      'PUT',
      '/chat/update-chat-session-temperature',
      { chat_session_id: sessionId, temperature_override: 1 },
    ],
    [
      'sets its model',
      'PUT',
      '/chat/update-chat-session-model',
      { chat_session_id: sessionId, new_alternate_model: 'scripted' },
    ],
    ['asks for its room', 'GET', `/chat/available-context-tokens/${sessionId}`],
    [
      'judges the answer',
      'POST',
      '/chat/create-chat-message-feedback',
      { chat_message_id: answerId, is_positive: false, feedback_text: 'x' },
    ],
    [
      'takes a judgement back',
      'DELETE',
      `/chat/remove-chat-message-feedback?chat_message_id=${answerId}`,
    ],
    ['shows another branch', 'PUT', '/chat/set-message-as-latest', { message_id: answerId }],
    [
      'makes a session in the project',
      'POST',
      '/chat/create-chat-session',
      { project_id: projectId },
    ],
    ['makes a session of the agent', 'POST', '/chat/create-chat-session', { persona_id: agentId }],
    ['reads the agent', 'GET', `/persona/${agentId}`],
    ['changes the agent', 'PATCH', `/persona/${agentId}`, prompt],
    ['deletes the agent', 'DELETE', `/persona/${agentId}`],
    ['reads the project', 'GET', `/user/projects/${projectId}`],
    ['reads all of the project', 'GET', `/user/projects/${projectId}/details`],
    ['reads its instructions', 'GET', `/user/projects/${projectId}/instructions`],
    ['reads its files', 'GET', `/user/projects/files/${projectId}`],
    ['renames the project', 'PATCH', `/user/projects/${projectId}`, { name: 'x' }],
    [
      'sets its instructions',
      'POST',
      `/user/projects/${projectId}/instructions`,
      { instructions: 'x' },
    ],
    ['deletes the project', 'DELETE', `/user/projects/${projectId}`],
    ['adds a file of its own', 'POST', `/user/projects/${projectId}/files/${own.userFileId}`],
    ['adds the file to its own', 'POST', `/user/projects/${own.projectId}/files/${userFileId}`],
    ['takes the file out', 'DELETE', `/user/projects/${projectId}/files/${userFileId}`],
    ['reads files by the session', 'GET', `/user/projects/session/${sessionId}/files`],
    [
      'moves the session to its own',
      'POST',
      `/user/projects/${own.projectId}/move_chat_session`,
      { chat_session_id: sessionId },
    ],
    [
      'moves a session of its own there',
      'POST',
      `/user/projects/${projectId}/move_chat_session`,
      { chat_session_id: own.sessionId },
    ],
    [
      'takes the session out',
      'POST',
      '/user/projects/remove_chat_session',
      { chat_session_id: sessionId },
    ],
    ['reads the user file', 'GET', `/user/projects/file/${userFileId}`],
    ['reads it by its stored id', 'GET', `/user/projects/file/${storedFileId}`],
    ['deletes the file', 'DELETE', `/user/projects/file/${userFileId}`],
    ['reads its bytes', 'GET', `/chat/file/${storedFileId}`],
    ['reads its bytes by the other id', 'GET', `/chat/file/${userFileId}`],
  ];
}
