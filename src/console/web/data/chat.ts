import { signal } from '@preact/signals';
import { ask, type Asked, newTurn, type Packet, type Turn, withPacket } from './answer.ts';
import { call } from './call.ts';
import { toProblem, type ApiProblem } from './problem.ts';
import { may } from './session.ts';
import { refresh } from './store.ts';

/** The chat that is shown. */
export interface Chat {
  /** Null before the first question of a new one. */
  readonly sessionId: string | null;
  readonly turns: readonly Turn[];
  readonly isLoading: boolean;
  readonly problem: ApiProblem | null;
}

const NEW: Chat = { sessionId: null, turns: [], isLoading: false, problem: null };
export const chat = signal<Chat>(NEW);

let running: AbortController | null = null;

/** Opens a chat of before, or a new one with null. The one that is being written goes on where it is shown. */
export async function openChat(sessionId: string | null): Promise<void> {
  if (chat.peek().sessionId === sessionId && chat.peek().problem === null && sessionId !== null)
    return;
  running?.abort(new Error('Another chat was opened.'));
  running = null;
  chat.value = { ...NEW, sessionId, isLoading: sessionId !== null };
  if (sessionId === null) return;
  try {
    const found = await call('GET /chat/get-chat-session/{id}', { path: { id: sessionId } });
    if (chat.peek().sessionId === sessionId)
      chat.value = { ...NEW, sessionId, turns: turnsOf(found) };
  } catch (error) {
    if (chat.peek().sessionId === sessionId)
      chat.value = { ...NEW, sessionId, problem: toProblem(error) };
  }
}

type StoredChat = Awaited<ReturnType<typeof call<'GET /chat/get-chat-session/{id}'>>>;

/** Each answer of the shown branch, played again from its packets. */
function turnsOf({ messages, packets }: StoredChat): Turn[] {
  const answers = messages.filter((message) => message.message_type === 'assistant');
  return answers.map((answer, index) => {
    const question = messages.find(({ message_id }) => message_id === answer.parent_message);
    const played = (packets[index] ?? []).reduce<Turn>(
      withPacket,
      newTurn(question?.message ?? '', namesOf(question?.files ?? [])),
    );
    const text = played.text || answer.message;
    const isOver = played.state !== 'running' || answer.message !== '' || answer.error !== null;
    return { ...played, text, state: played.state === 'running' && isOver ? 'done' : played.state };
  });
}

function namesOf(files: readonly { name: string | null }[]): string[] {
  return files.map(({ name }) => name ?? 'file');
}

/** Asks in the chat that is shown. `onSession` is told the id of a chat that this begins. */
export async function askInChat(asked: Asked, onSession: (id: string) => void): Promise<void> {
  const turn = chat.peek().turns.length;
  chat.value = {
    ...chat.peek(),
    turns: [...chat.peek().turns, newTurn(asked.text, namesOf(asked.files))],
  };
  const controller = new AbortController();
  running = controller;
  const change = (next: (turn: Turn) => Turn): void => {
    if (controller.signal.aborted) return;
    const { turns } = chat.peek();
    chat.value = { ...chat.peek(), turns: turns.map((one, at) => (at === turn ? next(one) : one)) };
  };
  try {
    await ask(
      asked,
      {
        sessionId: chat.peek().sessionId,
        onSession(id) {
          chat.value = { ...chat.peek(), sessionId: id };
          onSession(id);
        },
        onPacket: (packet: Packet) => change((one) => withPacket(one, packet)),
      },
      controller.signal,
    );
  } catch (error) {
    change((one) => ({ ...one, state: 'failed', problem: toProblem(error) }));
  } finally {
    if (running === controller) running = null;
    await nameChat(turn);
  }
}

/** A new chat gets a name from its first question, if whoever asked may give it one. */
async function nameChat(turn: number): Promise<void> {
  const { sessionId } = chat.peek();
  if (turn === 0 && sessionId !== null && may('member')) {
    const body = { chat_session_id: sessionId, name: null };
    // Without a name it can be found all the same.
    await call('PUT /chat/rename-chat-session', { body }).catch(() => undefined);
  }
  await refresh('GET /chat/get-user-chat-sessions');
}

/** Ends the answer that is being written; what there is of it stays. */
export async function stopAnswer(): Promise<void> {
  const { sessionId } = chat.peek();
  if (sessionId === null) return;
  await call('POST /chat/stop-chat-session/{chat_session_id}', {
    path: { chat_session_id: sessionId },
  });
}
