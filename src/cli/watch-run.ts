import type { ApiClient } from './api-client.ts';
import { type CommandContext, printJson } from './command-context.ts';
import { CommandFailure } from './exit.ts';
import {
  type Attempt,
  attemptSchema,
  describeAttempt,
  progressLine,
  readLastAttempt,
} from './pair-report.ts';

const POLL_MS = 1_000;
/** Without a terminal, prints at most one line per interval. */
const LINE_EVERY_MS = 10_000;
/** A requested run starts within seconds. */
const START_TIMEOUT_MS = 60_000;
const PATIENCE = { unreachableMs: 120_000, busyMs: 120_000 };
const CLEAR_LINE = '\r\u001b[K';

/**
 * Follows a run to its end with one status line; `attempt` null means the newest run.
 * @throws CommandFailure when it fails, or none starts
 */
export async function watchRun(
  client: ApiClient,
  pair: number,
  attempt: number | null,
  context: CommandContext,
): Promise<void> {
  const { stdout, stderr } = context.terminal;
  const show = openLine(stderr);
  const startedMs = performance.now();
  for (;;) {
    const run = await readAttempt(client, pair, attempt);
    if (run === null && performance.now() - startedMs > START_TIMEOUT_MS) {
      throw new CommandFailure(
        `No run of pair ${pair} has started. Are the workers running? See "millrace status".`,
      );
    }
    if (run && run.time_finished !== null) {
      show.end();
      if (context.wantsJson()) printJson(context, run);
      else stdout.write(`${describeAttempt(run)}\n`);
      if (run.status === 'failed') throw new CommandFailure(`The run of pair ${pair} failed.`);
      return;
    }
    show.update(run ? progressLine(run) : 'waiting for a worker');
    await client.wait(POLL_MS);
  }
}

async function readAttempt(
  client: ApiClient,
  pair: number,
  attempt: number | null,
): Promise<Attempt | null> {
  if (attempt === null) return readLastAttempt(client, pair);
  const path = `/manage/admin/cc-pair/${pair}/index-attempts/${attempt}`;
  return client.json('GET', path, attemptSchema, { patience: PATIENCE });
}

interface Line {
  update(text: string): void;
  end(): void;
}

/** Rewrites itself on a terminal; elsewhere prints a line from time to time. */
function openLine(stream: CommandContext['terminal']['stderr']): Line {
  let printedMs = Number.NEGATIVE_INFINITY;
  let printed = '';
  return {
    update(text) {
      if (text === printed) return;
      if (!stream.isTTY && performance.now() - printedMs < LINE_EVERY_MS) return;
      stream.write(stream.isTTY ? `${CLEAR_LINE}${text}` : `${text}\n`);
      printed = text;
      printedMs = performance.now();
    },
    end() {
      if (stream.isTTY) stream.write(CLEAR_LINE);
    },
  };
}
