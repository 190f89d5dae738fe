import type { WorkspaceId } from '#src/ids.ts';
import { parseConfig } from '#src/platform/config.ts';
import type { Services } from '#src/services.ts';
import { startMillrace } from '#src/start-millrace.ts';
import { type ApiClient, createApiClient } from './api-client.ts';
import { silentDns } from './email-stage.ts';
import { createFakeMailer, type FakeMailer } from './fake-mailer.ts';
import { runCommand } from './fake-service.ts';
import { openTestEnvironment, type TestEnvironment } from './test-environment.ts';
import { migrateTestDatabase } from './test-millrace.ts';

/** One deployment that is started repeatedly, each time with other encryption keys. */
export interface KeyRingStage extends AsyncDisposable {
  readonly environment: TestEnvironment;
  start(...keys: Buffer[]): Promise<StartedMillrace>;
  /** Starts without the setting, with the keys that the embedded size keeps in its folder. */
  startFromFile(): Promise<StartedMillrace>;
}

/** A whole Millrace whose mail is not sent. */
export interface StartedMillrace extends ApiClient, AsyncDisposable {
  readonly services: Services;
  readonly mailer: FakeMailer;
  readonly adminKey: string;
}

export async function openKeyRingStage(): Promise<KeyRingStage> {
  const environment = await openTestEnvironment({ RATE_LIMIT_PER_MINUTE: '1000000' });
  return {
    environment,
    start: (...keys) => start(environment, settingOf(keys)),
    startFromFile: () => start(environment, ''),
    [Symbol.asyncDispose]: () => environment[Symbol.asyncDispose](),
  };
}

/** Value for `ENCRYPTION_KEY`. */
export function settingOf(keys: readonly Buffer[]): string {
  return keys.map((key) => key.toString('base64')).join(',');
}

async function start(
  { settings, adminKey }: TestEnvironment,
  encryptionKey: string,
): Promise<StartedMillrace> {
  const now = { ...settings, ENCRYPTION_KEY: encryptionKey };
  await migrateTestDatabase(now);
  const running = await startMillrace(parseConfig(now));
  const mailer = createFakeMailer();
  // The API and the workers read these on each use.
  Object.assign(running.services, { mailer, dns: silentDns });
  return {
    ...createApiClient(running.url, adminKey),
    services: running.services,
    mailer,
    adminKey,
    async [Symbol.asyncDispose]() {
      for (const phase of running.phases) await phase.run();
    },
  };
}

/** Runs `millrace keys reseal`. */
export const reseal = ({ url, adminKey }: StartedMillrace, ...words: string[]) =>
  runCommand(['keys', 'reseal', ...words], { url, key: adminKey });

export const newWorkspace = async (millrace: StartedMillrace): Promise<WorkspaceId> => {
  const { body } = await millrace.call('POST', '/manage/admin/workspaces', {
    name: 'Another',
    plan_tier: 'Enterprise',
  });
  return body.workspace_id;
};
