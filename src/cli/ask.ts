import { InvalidArgumentError } from 'commander';
import type { MillraceClient } from '#src/client/millrace-client.ts';
import { type AskOptions, buildChatRequest } from './ask-request.ts';
import {
  type AddCommand,
  type CommandContext,
  printJson,
  repeated,
  wholeNumber,
} from './command-context.ts';
import { CommandFailure } from './exit.ts';
import { watchInterrupt } from './interrupt-answer.ts';
import { AnswerPrinter } from './print-answer.ts';
import { bold } from './terminal.ts';

const MAX_ID = 2_147_483_647;

/** `millrace ask`: prints an answer with citations while it is written. */
export const addAskCommand: AddCommand = (program, context) => {
  program
    .command('ask')
    .summary('ask a question')
    .description('Ask a question; the answer is printed as it comes, with the sources it cites.')
    .argument('<question...>', 'the question')
    .option('--session <id>', 'continue this session')
    .option('--continue', 'continue the most recently used session')
    .option('--file <path>', 'attach this file (repeatable)', repeated)
    .option('--agent <id or name>', 'ask this agent, in a new session')
    .option('--project <id>', 'ask in this project', wholeNumber(1, MAX_ID))
    .option('--model <provider/model>', 'a configured model; the provider may be left out')
    .option('--temperature <n>', '0 to 2', parseTemperature)
    .option('--deep-research', 'research the question: takes minutes')
    .option('--no-citations', 'without citations and sources')
    .option('--context <text or @file>', 'text for this answer only; it is not stored')
    .option('--reasoning', 'show the reasoning of the model')
    .addHelpText(
      'after',
      `
Examples:
  millrace ask How long are finished jobs kept?
  millrace ask --continue And failed ones?
  millrace ask --file report.pdf What does it say about prices?`,
    )
    .action((words: string[], options: AskOptions) => ask(words.join(' '), options, context));
};

function parseTemperature(text: string): number {
  const value = text.trim() === '' ? Number.NaN : Number(text);
  if (value >= 0 && value <= 2) return value;
  throw new InvalidArgumentError('It must be a number from 0 to 2.');
}

async function ask(question: string, options: AskOptions, context: CommandContext): Promise<void> {
  const { client, url } = context.connectChat();
  const { terminal } = context;
  const isJson = context.wantsJson();
  const request = await buildChatRequest(client, question, options, terminal);
  const printer = new AnswerPrinter(terminal, {
    isSilent: isJson,
    showsReasoning: options.reasoning === true,
  });
  printer.sessionId = request.chat_session_id ?? null;
  try {
    await printAnswer(client, request, { printer, interrupt: terminal.signal });
    if (isJson) {
      printJson(context, asJson(printer));
      return;
    }
    printer.printSources();
    printFiles(printer, url, context);
  } finally {
    const { sessionId } = printer;
    // A question that was refused is not in any session.
    const isAsked = printer.messageId !== null || request.chat_session_id === undefined;
    if (!isJson && isAsked && sessionId !== null) {
      terminal.stderr.write(`\nSession ${sessionId}; continue it with --session or --continue.\n`);
    }
  }
}

/** Reads the stream to its end; a failure is shown after the text printed so far. */
async function printAnswer(
  client: MillraceClient,
  request: Parameters<MillraceClient['chat']['stream']>[0],
  { printer, interrupt }: { printer: AnswerPrinter; interrupt: AbortSignal },
): Promise<void> {
  await using interruption = watchInterrupt(client, interrupt);
  const { signal } = interruption;
  if (printer.sessionId !== null) interruption.inSession(printer.sessionId);
  try {
    for await (const line of client.chat.stream(request, { signal })) {
      printer.add(line);
      if (printer.sessionId !== null) interruption.inSession(printer.sessionId);
    }
  } finally {
    printer.endLine();
  }
  interrupt.throwIfAborted();
  if (printer.failure !== null) throw new CommandFailure(`The answer failed: ${printer.failure}`);
}

function asJson(printer: AnswerPrinter): Record<string, unknown> {
  const { answer, sessionId, messageId, fileIds } = printer;
  return {
    answer,
    sources: printer.sources(),
    ...(sessionId === null ? {} : { chat_session_id: sessionId }),
    ...(messageId === null ? {} : { message_id: messageId }),
    ...(fileIds.length === 0 ? {} : { file_ids: fileIds }),
  };
}

function printFiles({ fileIds }: AnswerPrinter, url: string, context: CommandContext): void {
  const { stdout } = context.terminal;
  if (fileIds.length > 0) stdout.write(`\n${bold('Files', stdout)}\n`);
  for (const id of fileIds) stdout.write(`${url}/chat/file/${id}\n`);
}
