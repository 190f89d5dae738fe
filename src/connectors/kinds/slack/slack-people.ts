import { z } from 'zod';
import { listByCursor, SlackRefusal, type SlackApi } from './slack-api.ts';

export interface SlackPerson {
  name: string;
  /** Only with the scope `users:read.email`. */
  email: string | null;
}

export interface SlackPeople {
  /** Returns every requested id; a user whom Slack does not show gets the id as name. */
  find(ids: Iterable<string>): Promise<ReadonlyMap<string, SlackPerson>>;
}

const USER = z.object({
  id: z.string(),
  name: z.string().nullish(),
  real_name: z.string().nullish(),
  profile: z
    .object({
      display_name: z.string().nullish(),
      real_name: z.string().nullish(),
      email: z.string().nullish(),
    })
    .nullish(),
});
const USERS = z.object({ members: z.array(USER) });

const MAX_REMEMBERED = 20_000;
/**
 * Users up to this number are requested one by one (a short run needs few names); then the member list is read once.
 */
const SINGLE_LOOKUPS = 20;
/**
 * Of 200 members each: 10,000 names for 50 requests; the other members of a larger workspace are requested one by
 * one.
 */
const MAX_MEMBER_PAGES = 50;

/**
 * Names of a workspace's users, cached for one run. https://docs.slack.dev/reference/methods/users.info/ and
 * https://docs.slack.dev/reference/methods/users.list/
 */
export function createSlackPeople(api: SlackApi): SlackPeople {
  const known = new Map<string, SlackPerson>();
  let lookups = 0;
  let listed = false;

  const remember = (user: z.infer<typeof USER>) => {
    const oldest = known.size >= MAX_REMEMBERED ? known.keys().next().value : undefined;
    if (oldest !== undefined) known.delete(oldest);
    const person = personOf(user);
    known.set(user.id, person);
    return person;
  };
  const readMembers = async () => {
    listed = true;
    let page = 0;
    for await (const { members } of listByCursor(api, 'users.list', { limit: '200' }, USERS)) {
      for (const member of members) remember(member);
      page += 1;
      if (page === MAX_MEMBER_PAGES) return;
    }
  };
  const find = async (id: string) => {
    if (!known.has(id) && lookups >= SINGLE_LOOKUPS && !listed) await readMembers();
    const person = known.get(id);
    if (person) return person;
    lookups += 1;
    return remember(await readUser(api, id));
  };

  return {
    async find(ids) {
      const found = new Map<string, SlackPerson>();
      for (const id of ids) if (!found.has(id)) found.set(id, await find(id));
      return found;
    },
  };
}

/** A user whom Slack does not show (from another workspace, or deleted) keeps the id as name. */
async function readUser(api: SlackApi, id: string): Promise<z.infer<typeof USER>> {
  try {
    return (await api.call('users.info', { user: id }, z.object({ user: USER }))).user;
  } catch (error) {
    if (error instanceof SlackRefusal && error.code !== 'missing_scope') return { id };
    throw error;
  }
}

function personOf({ id, name, real_name: realName, profile }: z.infer<typeof USER>): SlackPerson {
  return {
    name: profile?.display_name || profile?.real_name || realName || name || id,
    email: profile?.email || null,
  };
}
