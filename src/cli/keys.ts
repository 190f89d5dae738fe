import { Option } from 'commander';
import { z } from 'zod';
import { type AddCommand, type CommandContext, printJson, wholeNumber } from './command-context.ts';
import { resealKeys } from './reseal-keys.ts';
import { formatTable, plainLine } from './terminal.ts';

const ROLES = ['admin', 'member', 'ingest', 'read', 'observer'];

interface CreateOptions {
  name: string;
  role: string;
  expiresInDays?: number;
}

const listedKey = z.looseObject({
  id: z.string(),
  name: z.string(),
  role: z.string(),
  prefix: z.string(),
  last_four: z.string().optional(),
  created_at: z.string(),
  expires_at: z.string().nullable(),
});
const keyList = z.object({ api_keys: z.array(listedKey) });
const createdKey = listedKey.extend({ key: z.string() });

/**
 * `millrace keys`: creates, lists and revokes the workspace's API keys, and reseals values that older encryption keys
 * sealed.
 */
export const addKeysCommand: AddCommand = (program, context) => {
  const keys = program
    .command('keys')
    .summary('create, list and revoke API keys; reseal after a change of ENCRYPTION_KEY')
    .description(
      'Create, list and revoke the API keys of the workspace; needs an admin key. Reseal what older encryption keys sealed.',
    );
  keys
    .command('create')
    .description('Create an API key. It is shown once; the service keeps its hash alone.')
    .requiredOption('--name <name>', 'what the key is for')
    .addOption(new Option('--role <role>', 'what it may do').choices(ROLES).makeOptionMandatory())
    .option('--expires-in-days <n>', 'when it ends (default: never)', wholeNumber(1, 3_650))
    .action((options: CreateOptions) => createKey(options, context));
  keys
    .command('list')
    .description('List the API keys; only the beginning of each is shown.')
    .action(() => listKeys(context));
  keys
    .command('revoke')
    .description('Revoke an API key; it is refused everywhere within five seconds.')
    .argument('<id>', 'id of the key, as "keys list" shows it')
    .action((id: string) => revokeKey(id, context));
  keys
    .command('reseal')
    .description(
      "Encrypt what older keys of ENCRYPTION_KEY have sealed with its first key, while the service works. Needs an admin key of the service's first workspace. May be stopped and run again.",
    )
    .option('--dry-run', 'only show the keys and how many values each has sealed', false)
    .action((options: { dryRun: boolean }) => resealKeys(context, options));
};

async function createKey(options: CreateOptions, context: CommandContext): Promise<void> {
  const client = context.connect();
  const { name, role, expiresInDays } = options;
  const created = await client.json('POST', '/account/api-keys', createdKey, {
    body: {
      name,
      role,
      ...(expiresInDays === undefined ? {} : { expires_in_days: expiresInDays }),
    },
  });
  if (context.wantsJson()) {
    printJson(context, created);
    return;
  }
  // Only the key goes to stdout, so that it can be piped into a secret store.
  context.terminal.stderr.write(
    `Created ${created.role} key ${plainLine(created.name)} (${created.id}). It is shown this once:\n`,
  );
  context.terminal.stdout.write(`${created.key}\n`);
}

async function listKeys(context: CommandContext): Promise<void> {
  const client = context.connect();
  const { api_keys: keys } = await client.json('GET', '/account/api-keys', keyList);
  if (context.wantsJson()) {
    printJson(context, keys);
    return;
  }
  const rows = keys.map(({ id, name, role, prefix, last_four: end = '', created_at, expires_at }) =>
    [id, name, role, `${prefix}…${end}`, created_at, expires_at ?? 'never'].map(plainLine),
  );
  context.terminal.stdout.write(
    formatTable([['Id', 'Name', 'Role', 'Key', 'Created', 'Expires'], ...rows]),
  );
}

async function revokeKey(id: string, context: CommandContext): Promise<void> {
  const client = context.connect();
  await client.json('DELETE', `/account/api-keys/${encodeURIComponent(id)}`, z.unknown());
  if (context.wantsJson()) printJson(context, { id, revoked: true });
  else context.terminal.stdout.write(`Revoked ${plainLine(id)}.\n`);
}
