import type { Database } from '#src/platform/database.ts';
import type { ChatServices } from '#src/chat/chat-services.ts';
import { changeSession } from './change-session.ts';
import { type SessionAddress, unknownSession } from './session-ids.ts';
import { titleFromWords } from './session-title.ts';
import { type Beginning, writeTitle } from './write-title.ts';

const WITHOUT_WORDS = 'New chat';

/**
 * Names a session: as given, or from its first messages when `name` is null. A name that is set meanwhile is kept. A
 * session without a message stays unnamed.
 * @throws Problem NOT_FOUND
 */
export async function renameSession(
  services: Pick<ChatServices, 'db' | 'chatModels' | 'usageLedger'>,
  address: SessionAddress,
  name: string | null,
  signal: AbortSignal,
): Promise<string> {
  const { db } = services;
  if (name !== null) {
    await changeSession(db, address, { title: name });
    return name;
  }
  const session = await readBeginning(db, address);
  if (session.question === null) return session.title ?? WITHOUT_WORDS;
  const beginning = { question: session.question, answer: session.answer ?? '' };
  const title = await titleOf(services, address, beginning, signal);
  return storeTitle(db, address, { title, before: session.title });
}

async function titleOf(
  services: Pick<ChatServices, 'chatModels' | 'usageLedger'>,
  { workspaceId }: SessionAddress,
  beginning: Beginning,
  signal: AbortSignal,
): Promise<string> {
  const written = await writeTitle(services, workspaceId, beginning, signal);
  return written ?? titleFromWords(beginning.question) ?? WITHOUT_WORDS;
}

async function readBeginning(
  db: Database,
  { workspaceId, userId, id }: SessionAddress,
): Promise<{ title: string | null; question: string | null; answer: string | null }> {
  const first = (role: 'user' | 'assistant', db_: Database) =>
    db_
      .selectFrom('chat_message')
      .select('content')
      .where('chat_session_id', '=', id)
      .where('role', '=', role)
      .where('content', '<>', '')
      .orderBy('id')
      .limit(1);
  const row = await db
    .selectFrom('chat_session')
    .select(['title', first('user', db).as('question'), first('assistant', db).as('answer')])
    .where('id', '=', id)
    .where('workspace_id', '=', workspaceId)
    .where('user_id', '=', userId)
    .where('deleted_at', 'is', null)
    .executeTakeFirst();
  if (!row) throw unknownSession(id);
  return row;
}

async function storeTitle(
  db: Database,
  { workspaceId, userId, id }: SessionAddress,
  { title, before }: { title: string; before: string | null },
): Promise<string> {
  const own = db
    .updateTable('chat_session')
    .where('id', '=', id)
    .where('workspace_id', '=', workspaceId)
    .where('user_id', '=', userId)
    .where('deleted_at', 'is', null);
  const row = await own
    .set((set) => ({
      title: set
        .case()
        .when('title', 'is not distinct from', before)
        .then(title)
        .else(set.ref('title'))
        .end(),
    }))
    .returning('title')
    .executeTakeFirst();
  if (!row) throw unknownSession(id);
  return row.title ?? title;
}
