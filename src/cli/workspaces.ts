import { Option } from 'commander';
import { z } from 'zod';
import { type AddCommand, type CommandContext, printJson } from './command-context.ts';

const PLANS = ['Free', 'Personal', 'Pro', 'Agency', 'Enterprise'];

interface CreateOptions {
  name: string;
  plan?: string;
}

const createdWorkspace = z.object({ workspace_id: z.string(), api_key: z.string() });

/** `millrace workspaces`: creates workspaces; only for admins of the first one. */
export const addWorkspacesCommand: AddCommand = (program, context) => {
  program
    .command('workspaces')
    .summary('create workspaces')
    .description("Create workspaces; needs an admin key of the service's first workspace.")
    .command('create')
    .description('Create a workspace and its first admin key, which is shown once.')
    .requiredOption('--name <name>', 'name of the workspace')
    .addOption(new Option('--plan <plan>', "plan (default: the service's default)").choices(PLANS))
    .action((options: CreateOptions) => createWorkspace(options, context));
};

async function createWorkspace(
  { name, plan }: CreateOptions,
  context: CommandContext,
): Promise<void> {
  const client = context.connect();
  const created = await client.json('POST', '/manage/admin/workspaces', createdWorkspace, {
    body: { name, ...(plan === undefined ? {} : { plan_tier: plan }) },
  });
  if (context.wantsJson()) {
    printJson(context, created);
    return;
  }
  context.terminal.stderr.write(
    `Created workspace ${created.workspace_id}. Its admin key, shown this once:\n`,
  );
  context.terminal.stdout.write(`${created.api_key}\n`);
}
