import { z } from 'zod';
import { githubPath } from './github-api.ts';
import {
  findThing,
  type RestApi,
  listAllThings,
  listThings,
} from '#src/connectors/source/rest-listing.ts';
import { SourceRefused } from '#src/connectors/source/source-errors.ts';
import type { ListedPage } from '#src/connectors/source/updated-order.ts';

const repository = z.object({
  full_name: z.string(),
  html_url: z.string(),
  default_branch: z.string().nullish(),
});

/** https://docs.github.com/en/rest/repos/repos */
export interface GithubRepository {
  /** Lower case, as requested: runs are ordered and resumed by it. */
  key: string;
  /** GitHub's current name: a repository that was moved has a new one. */
  fullName: string;
  /** `/repos/acme/kitchen` */
  path: string;
  webUrl: string;
  defaultBranch: string;
}

/** `owner/name`, without duplicates, sorted; null: all repositories of the owner. */
export function namedRepositories(owner: string, list: string | null | undefined): string[] | null {
  const names = (list ?? '')
    .split(',')
    .map((name) => name.trim())
    .filter((name) => name !== '')
    .map((name) => (name.includes('/') ? name : `${owner}/${name}`));
  return names.length > 0 ? inOrder(names, (name) => name.toLowerCase()) : null;
}

/**
 * @throws SourceRefused when the token cannot see the repository
 */
export async function getRepository(github: RestApi, fullName: string): Promise<GithubRepository> {
  const [owner = '', name = ''] = fullName.split('/');
  const found = await findThing(github, githubPath`/repos/${owner}/${name}`, repository);
  if (!found) {
    throw new SourceRefused(
      `The repository ${fullName} does not exist, or the token cannot see it.`,
      { status: 404 },
    );
  }
  return toRepository(found, fullName);
}

/** All repositories of an organization or a user that the token can see, ordered by key. */
export async function listRepositories(
  github: RestApi,
  owner: string,
): Promise<GithubRepository[]> {
  const list = await repositoryList(github, owner);
  const found = await listAllThings(github, list.path, repository, {
    ...list.query,
    sort: 'full_name',
    direction: 'asc',
  });
  const repositories = found.map((each) => toRepository(each, each.full_name));
  return inOrder(repositories, ({ key }) => key);
}

/** For a check: requests only one repository of the owner. */
export async function peekRepositories(
  github: RestApi,
  owner: string,
): Promise<ListedPage<unknown>> {
  const { path, query } = await repositoryList(github, owner);
  return listThings(github, path, z.unknown(), { ...query, per_page: '1' });
}

async function repositoryList(
  github: RestApi,
  owner: string,
): Promise<{ path: string; query: Record<string, string> }> {
  const account = z.object({ login: z.string(), type: z.string().nullish() });
  const found = await findThing(github, githubPath`/users/${owner}`, account);
  if (!found) {
    throw new SourceRefused(
      `There is no organization or user ${owner}, or the token cannot see it.`,
      { status: 404 },
    );
  }
  if (found.type === 'Organization') {
    return { path: githubPath`/orgs/${owner}/repos`, query: { type: 'all' } };
  }
  const self = await whoAmI(github);
  // Only this list includes a user's private repositories.
  if (self?.toLowerCase() === found.login.toLowerCase()) {
    return { path: '/user/repos', query: { affiliation: 'owner' } };
  }
  return { path: githubPath`/users/${owner}/repos`, query: { type: 'owner' } };
}

/** Null for tokens that belong to no user, such as an app's token. */
async function whoAmI(github: RestApi): Promise<string | null> {
  try {
    const self = await findThing(github, '/user', z.object({ login: z.string() }));
    return self?.login ?? null;
  } catch (error) {
    if (error instanceof SourceRefused && error.status === 403) return null;
    throw error;
  }
}

function toRepository(found: z.infer<typeof repository>, asked: string): GithubRepository {
  const [owner = '', name = ''] = found.full_name.split('/');
  return {
    key: asked.toLowerCase(),
    fullName: found.full_name,
    path: githubPath`/repos/${owner}/${name}`,
    webUrl: found.html_url,
    defaultBranch: found.default_branch ?? 'main',
  };
}

function inOrder<Thing>(things: Thing[], keyOf: (thing: Thing) => string): Thing[] {
  const byKey = new Map(things.map((thing) => [keyOf(thing), thing]));
  return [...byKey].toSorted(([a], [b]) => (a < b ? -1 : 1)).map(([, thing]) => thing);
}
