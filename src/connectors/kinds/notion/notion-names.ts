import { z } from 'zod';
import type { StoredOwner } from '#src/tables/documents.ts';
import { isRefused, PARTIAL_USER, RICH_TEXT, type NotionApi } from './notion-api.ts';
import { renderRichText } from './notion-text.ts';

/** Names by id, cached for one run; null when Notion does not return one. */
export interface NotionNames {
  /** https://developers.notion.com/reference/get-user */
  user(id: string): Promise<StoredOwner | null>;
  /** https://developers.notion.com/reference/retrieve-a-database */
  database(id: string): Promise<string | null>;
}

const MAX_REMEMBERED = 5_000;

export function createNotionNames(api: NotionApi): NotionNames {
  // The capability "read user information" is the administrator's choice; without it every request is refused.
  let mayAskUsers = true;
  return {
    user: remembered(async (id) => {
      if (!mayAskUsers) return null;
      try {
        const { name, person } = await api.get(`/users/${id}`, PARTIAL_USER);
        const email = person?.email;
        return name || email
          ? { ...(name && { display_name: name }), ...(email && { email }) }
          : null;
      } catch (error) {
        if (!isRefused(error, 400, 403, 404)) throw error;
        if (error.status === 403) mayAskUsers = false;
        return null;
      }
    }),
    database: remembered(async (id) => {
      try {
        const { title } = await api.get(
          `/databases/${id}`,
          z.object({ title: RICH_TEXT.nullish() }),
        );
        return renderRichText(title).trim() || null;
      } catch (error) {
        if (!isRefused(error, 400, 403, 404)) throw error;
        return null;
      }
    }),
  };
}

/** Pages are read in parallel: those that want the same name share one request. */
function remembered<T>(ask: (id: string) => Promise<T>): (id: string) => Promise<T> {
  const answers = new Map<string, Promise<T>>();
  return (id) => {
    const known = answers.get(id);
    if (known) return known;
    const oldest = answers.size >= MAX_REMEMBERED ? answers.keys().next().value : undefined;
    if (oldest !== undefined) answers.delete(oldest);
    const answer = ask(id);
    answers.set(id, answer);
    return answer;
  };
}
