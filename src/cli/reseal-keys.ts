import { z } from 'zod';
import type { ApiClient } from './api-client.ts';
import { type CommandContext, printJson } from './command-context.ts';
import { CommandFailure } from './exit.ts';
import { startProgress } from './progress.ts';
import { formatCount, formatTable, plainLine } from './terminal.ts';

/** Further passes handle values sealed with another key during the previous pass. */
const MAX_PASSES = 5;
const MAX_SHOWN_ROWS = 20;
const KEYS = '/manage/admin/encryption-keys';

const keyReport = z.object({
  keys: z.array(z.object({ id: z.string(), state: z.string(), values: z.number() })),
  left: z.number(),
});
const resealStep = z.object({
  key_id: z.string(),
  resealed: z.number(),
  unreadable: z.array(z.object({ row: z.string(), reason: z.string() })),
  next: z.string().nullable(),
});
type Unreadable = z.output<typeof resealStep>['unreadable'];

/** `keys reseal`: rewrites what older keys sealed, until nothing is left. */
export async function resealKeys(
  context: CommandContext,
  { dryRun }: { dryRun: boolean },
): Promise<void> {
  const client = context.connect();
  const before = await client.json('GET', KEYS, keyReport);
  if (dryRun) {
    showKeys(context, before);
    return;
  }
  const keyId = before.keys[0]?.id ?? '';
  const done = { resealed: 0, left: before.left, unreadable: new Array<Unreadable[number]>() };
  const progress = startProgress(context.terminal.stderr, 'Resealing');
  try {
    for (let pass = 0; pass < MAX_PASSES && done.left > done.unreadable.length; pass += 1) {
      done.unreadable = await reseal(client, keyId, (count) => {
        done.resealed += count;
        progress.update({ done: done.resealed, total: Math.max(before.left, done.resealed) });
      });
      done.left = (await client.json('GET', KEYS, keyReport)).left;
    }
  } finally {
    progress.stop();
  }
  report(context, { key_id: keyId, ...done });
}

/** One pass over all values. @returns the values that cannot be read */
async function reseal(
  client: ApiClient,
  keyId: string,
  onResealed: (count: number) => void,
): Promise<Unreadable> {
  const unreadable: Unreadable = [];
  let after: string | null = null;
  do {
    const step: z.output<typeof resealStep> = await client.json(
      'POST',
      `${KEYS}/reseal`,
      resealStep,
      { body: { after }, repeatable: true },
    );
    if (step.key_id !== keyId) {
      throw new CommandFailure(
        plainLine(
          `One API process seals with the key ${keyId}, another with ${step.key_id}. Restart all of them with the same ENCRYPTION_KEY, then reseal again.`,
        ),
      );
    }
    onResealed(step.resealed);
    unreadable.push(...step.unreadable);
    after = step.next;
  } while (after !== null);
  return unreadable;
}

interface Done {
  key_id: string;
  resealed: number;
  left: number;
  unreadable: Unreadable;
}

function report(context: CommandContext, done: Done): void {
  const { stdout, stderr } = context.terminal;
  const key = plainLine(done.key_id);
  const counts = `${valuesOf(done.resealed)} resealed with the key ${key}, ${formatCount(done.left)} left`;
  if (context.wantsJson()) printJson(context, done);
  else if (done.left === 0) {
    const nothing = `Nothing to reseal: no value needs another key than ${key}`;
    stdout.write(`${done.resealed === 0 ? nothing : counts}: the old key may be removed.\n`);
  }
  if (done.left === 0) return;
  for (const { reason } of done.unreadable.slice(0, MAX_SHOWN_ROWS)) {
    stderr.write(`${plainLine(reason)}\n`);
  }
  const remedy =
    done.unreadable.length > 0
      ? 'These cannot be read with the present keys: enter them again, or start with their key in ENCRYPTION_KEY'
      : 'Another process still seals with an older key: restart all of them with the same ENCRYPTION_KEY, then reseal again';
  throw new CommandFailure(`${counts}: the old key must stay. ${remedy}.`);
}

function valuesOf(count: number): string {
  return count === 1 ? '1 value' : `${formatCount(count)} values`;
}

function showKeys(context: CommandContext, { keys, left }: z.output<typeof keyReport>): void {
  if (context.wantsJson()) {
    printJson(context, { keys, left });
    return;
  }
  const rows = keys.map(({ id, state, values }) => [id, state, formatCount(values)].map(plainLine));
  context.terminal.stdout.write(formatTable([['Key', 'State', 'Values'], ...rows]));
  context.terminal.stdout.write(`${valuesOf(left)} to reseal.\n`);
}
