import { InvalidArgumentError } from 'commander';
import { z } from 'zod';
import { type AddCommand, type CommandContext, printJson, wholeNumber } from './command-context.ts';
import { createConnector, type CreateOptions } from './create-connector.ts';
import { describePair, listPairs, readPair, toPairTable } from './pair-report.ts';
import { watchRun } from './watch-run.ts';

const MAX_ID = 2_147_483_647;
const MAX_SECONDS = 10 * 365 * 86_400;
const started = z.object({ message: z.string().nullable(), data: z.number() });

/** `millrace connectors`: what is polled, its progress, and runs on demand. */
export const addConnectorsCommand: AddCommand = (program, context) => {
  const connectors = program
    .command('connectors')
    .summary('create, list, run and watch connectors')
    .description('Create, list, run and watch connectors; needs an admin key.');
  connectors
    .command('list')
    .description('List the connector-credential pairs with their status and documents.')
    .action(() => list(context));
  connectors
    .command('create')
    .summary('create a connector, link it and watch its first run')
    .description(
      'Create a connector, link it and watch its first run. When the source cannot be reached, nothing remains.',
    )
    .requiredOption('--source <kind>', 'what it polls: web, tracker, s3 …')
    .requiredOption('--name <name>', 'its name')
    .option('--config <json>', 'settings of the kind, as a JSON object', jsonObject, {})
    .option('--credential <id>', 'id of a credential (default: none)', wholeNumber(0, MAX_ID))
    .option('--credential-json <json>', 'a new credential, as a JSON object', jsonObject)
    .option('--refresh <seconds>', 'between runs (default: once)', wholeNumber(60, MAX_SECONDS))
    .option('--prune <seconds>', 'between prunes (default: never)', wholeNumber(300, MAX_SECONDS))
    .option('--access <type>', 'public or private', 'public')
    .option('--no-watch', 'do not wait for the first run')
    .action((options: CreateOptions & { watch: boolean }) => create(options, context));
  connectors
    .command('run')
    .description('Run a pair now and watch it.')
    .argument('<pair>', 'id of the pair, as "connectors list" shows it', wholeNumber(1, MAX_ID))
    .option('--from-beginning', 'fetch everything again')
    .option('--no-watch', 'do not wait for the end')
    .action((pair: number, options: RunOptions) => run(pair, options, context));
  connectors
    .command('status')
    .description('Show a pair: its documents, its last run and what failed.')
    .argument('<pair>', 'id of the pair, as "connectors list" shows it', wholeNumber(1, MAX_ID))
    .option('--watch', 'follow the current run to its end')
    .action((pair: number, options: { watch?: true }) => status(pair, options, context));
};

interface RunOptions {
  fromBeginning?: true;
  watch: boolean;
}

async function list(context: CommandContext): Promise<void> {
  const pairs = await listPairs(context.connect());
  if (context.wantsJson()) printJson(context, pairs);
  else context.terminal.stdout.write(toPairTable(pairs));
}

async function create(
  { watch, ...options }: CreateOptions & { watch: boolean },
  context: CommandContext,
): Promise<void> {
  const client = context.connect();
  const made = await createConnector(client, options);
  if (context.wantsJson()) printJson(context, made);
  else {
    context.terminal.stdout.write(
      `Created connector ${made.connector_id}, linked as pair ${made.cc_pair_id}.\n`,
    );
  }
  if (watch) await watchRun(client, made.cc_pair_id, null, context);
}

async function run(
  pair: number,
  { fromBeginning, watch }: RunOptions,
  context: CommandContext,
): Promise<void> {
  const client = context.connect();
  const { data: attempt } = await client.json(
    'POST',
    `/manage/admin/cc-pair/${pair}/run`,
    started,
    {
      body: { from_beginning: fromBeginning === true },
    },
  );
  if (watch) await watchRun(client, pair, attempt, context);
  else if (context.wantsJson()) printJson(context, { cc_pair_id: pair, index_attempt_id: attempt });
  else context.terminal.stdout.write(`Run ${attempt} of pair ${pair} was started.\n`);
}

async function status(
  pair: number,
  { watch }: { watch?: true },
  context: CommandContext,
): Promise<void> {
  const client = context.connect();
  if (watch) {
    await watchRun(client, pair, null, context);
    return;
  }
  const report = await readPair(client, pair);
  if (context.wantsJson()) printJson(context, report);
  else context.terminal.stdout.write(describePair(report));
}

function jsonObject(text: string): Record<string, unknown> {
  try {
    return z.record(z.string(), z.unknown()).parse(JSON.parse(text));
  } catch {
    throw new InvalidArgumentError('It must be a JSON object, such as {"base_url": "https://…"}.');
  }
}
