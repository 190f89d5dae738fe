import { linkTo } from './accounts/people/link-token.ts';
import { hasOwner, makeOwnerToken } from './accounts/people/owner-link.ts';
import { ensureBootstrap } from './accounts/ensure-bootstrap.ts';
import { createApiKey } from './accounts/api-keys.ts';
import { createApp } from './api/app.ts';
import { ROUTES } from './api/routes/index.ts';
import { type RunningServer, startServer } from './api/server.ts';
import { baseUrlOf } from './platform/base-url.ts';
import type { Services } from './services.ts';

const SAFE_KEY_LENGTH = 16;

export interface RunningApi {
  readonly server: RunningServer;
  /** A newly created admin key, shown to the operator once. */
  readonly newAdminKey: string | null;
  /** The admin key known to this process, from the settings or the data directory. */
  readonly adminKey: string | null;
  /** For the first person to sign in; null when there is an owner. */
  readonly ownerLink: string | null;
}

/** Serves the API: creates the bootstrap workspace and its key if they do not exist, then listens. */
export async function startApi(services: Services): Promise<RunningApi> {
  const { config, dataDirectory } = services;
  if ((config.BOOTSTRAP_ADMIN_API_KEY?.length ?? SAFE_KEY_LENGTH) < SAFE_KEY_LENGTH) {
    services.log.warn(
      'BOOTSTRAP_ADMIN_API_KEY is short enough to be guessed; generate one with: openssl rand -hex 32',
    );
  }
  const keptKey = dataDirectory?.secrets.adminApiKey ?? null;
  const bootstrap = await ensureBootstrap(services.db, {
    bootstrapKey: config.BOOTSTRAP_ADMIN_API_KEY ?? null,
  });
  const needsKey = config.BOOTSTRAP_ADMIN_API_KEY === undefined && keptKey === null;
  const newAdminKey =
    needsKey && dataDirectory !== null ? await makeAdminKey(services, bootstrap) : null;
  if (!bootstrap.hasAdminKey && dataDirectory === null) {
    services.log.warn(
      'no admin key exists: set BOOTSTRAP_ADMIN_API_KEY (openssl rand -hex 32) and start again',
    );
  }
  const server = await startServer(services, createApp(services, ROUTES));
  const adminKey = config.BOOTSTRAP_ADMIN_API_KEY ?? newAdminKey ?? keptKey;
  if (adminKey !== null) dataDirectory?.announce({ url: server.url, apiKey: adminKey });
  const ownerLink = await makeOwnerLink(services, server.url);
  return { server, newAdminKey, adminKey, ownerLink };
}

/** A new one at each start until one was used; earlier ones stay valid until they expire. */
async function makeOwnerLink({ db, config }: Services, url: string): Promise<string | null> {
  if (await hasOwner(db)) return null;
  const { token } = await makeOwnerToken(db);
  return linkTo(config.PUBLIC_URL === undefined ? url : baseUrlOf(config), 'welcome', token);
}

/** The embedded size needs no settings: its first admin key is generated here and stored beside the data. */
async function makeAdminKey(
  services: Services,
  owner: Pick<Awaited<ReturnType<typeof ensureBootstrap>>, 'workspaceId' | 'userId'>,
): Promise<string> {
  const made = await createApiKey(services.db, {
    workspaceId: owner.workspaceId,
    userId: owner.userId,
    name: 'Made at first start',
    role: 'admin',
    expiresInDays: null,
  });
  const { dataDirectory } = services;
  dataDirectory?.saveSecrets({ ...dataDirectory.secrets, adminApiKey: made.key });
  return made.key;
}
