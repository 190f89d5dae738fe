import { Command, CommanderError, InvalidArgumentError } from 'commander';
import { setTimeout as sleep } from 'node:timers/promises';
import { MillraceError } from '#src/client/millrace-error.ts';
import { openApiClient } from './api-client.ts';
import { ApiFailure } from './api-failure.ts';
import { addAskCommand } from './ask.ts';
import type { AddCommand, CommandContext } from './command-context.ts';
import { addBouncesCommand } from './bounces.ts';
import { addDoNotContactCommand } from './do-not-contact.ts';
import { addEmailCommand } from './email.ts';
import { CommandFailure, EXIT, UsageError } from './exit.ts';
import { addConnectorsCommand } from './connectors.ts';
import { findService, type ServiceAddress } from './find-service.ts';
import { addIngestCommand } from './ingest.ts';
import { addKeysCommand } from './keys.ts';
import { addLeadsCommand } from './leads.ts';
import { addOwnerLinkCommand } from './owner-link.ts';
import { openChatClient } from './open-chat-client.ts';
import { addPlanCommand } from './plan.ts';
import { addSearchCommand } from './search.ts';
import { addStatusCommand } from './status.ts';
import type { OutputStream, Terminal } from './terminal.ts';
import { addWebhooksCommand } from './webhooks.ts';
import { addWorkspacesCommand } from './workspaces.ts';

const COMMANDS: AddCommand[] = [
  addIngestCommand,
  addSearchCommand,
  addAskCommand,
  addStatusCommand,
  addConnectorsCommand,
  addWebhooksCommand,
  addKeysCommand,
  addWorkspacesCommand,
  addOwnerLinkCommand,
  addPlanCommand,
  addLeadsCommand,
  addEmailCommand,
  addBouncesCommand,
  addDoNotContactCommand,
];

/** Values from the environment; see `readClientConfig`. */
export interface ClientSettings {
  MILLRACE_URL?: string | undefined;
  MILLRACE_API_KEY?: string | undefined;
  MILLRACE_SMTP_PASSWORD?: string | undefined;
  MILLRACE_MAILBOX_PASSWORD?: string | undefined;
  DATA_DIR: string;
}

export interface CommandLine {
  terminal: Terminal;
  settings: ClientSettings;
  version: string;
  /** For tests: a replacement that does not wait between retries. */
  wait?: (delayMs: number, signal: AbortSignal) => Promise<void>;
}

/**
 * Runs one command line, without the program's own name.
 * @returns the exit status: 0 done, 1 failed, 2 usage error, 130 interrupted
 */
export async function runCommandLine(words: readonly string[], line: CommandLine): Promise<number> {
  const { stderr, signal } = line.terminal;
  try {
    await buildProgram(line).parseAsync(words, { from: 'user' });
    return EXIT.done;
  } catch (error) {
    // Commander has already printed its message, or the requested help.
    if (error instanceof CommanderError) return error.exitCode === 0 ? EXIT.done : EXIT.usage;
    if (signal.aborted) return EXIT.interrupted;
    if (error instanceof UsageError) {
      stderr.write(`error: ${error.message}\n`);
      return EXIT.usage;
    }
    if (error instanceof CommandFailure || error instanceof ApiFailure) {
      stderr.write(`error: ${error.message}\n`);
      return EXIT.failed;
    }
    if (error instanceof MillraceError) {
      stderr.write(`error: ${withReference(error)}\n`);
      return EXIT.failed;
    }
    throw error;
  }
}

/** Adds the error code and the request id, if the service sent them. */
function withReference({ message, status, errorCode, requestId }: MillraceError): string {
  if (status === null) return message;
  const reference = [errorCode, requestId && `request ${requestId}`].filter(Boolean).join(', ');
  return `${message} (${reference})`;
}

interface GlobalOptions {
  url?: string;
  key?: string;
  json?: boolean;
}

const MORE_HELP = `
Address and key come from --url and --key, else from MILLRACE_URL and MILLRACE_API_KEY, else from the local service
that runs with the same DATA_DIR (default .data). "millrace <command> --help" says more about a command.`;

function buildProgram(line: CommandLine): Command {
  const { stdout, stderr } = line.terminal;
  const program = new Command('millrace')
    .description(
      'Push documents into Millrace, poll them from connectors, search them and ask questions about them.',
    )
    .version(line.version)
    .option('--url <url>', 'address of the service', parseAddress)
    .option('--key <key>', 'API key')
    .option('--json', 'print results as JSON')
    .addHelpText('after', MORE_HELP)
    .configureHelp({ showGlobalOptions: true })
    .configureOutput({
      writeOut: (text) => void stdout.write(text),
      writeErr: (text) => void stderr.write(text),
    })
    .showSuggestionAfterError()
    .exitOverride();
  const context = contextOf(line, () => program.opts<GlobalOptions>());
  for (const addCommand of COMMANDS) addCommand(program, context);
  return program;
}

function contextOf(line: CommandLine, globals: () => GlobalOptions): CommandContext {
  const { terminal, settings } = line;
  const { signal, stderr } = terminal;
  const note = (sentence: string): void => void stderr.write(clearLine(stderr) + `${sentence}\n`);
  const findAddress = (): ServiceAddress => {
    const { url, key } = globals();
    return findService({
      url: url ?? settings.MILLRACE_URL,
      key: key ?? settings.MILLRACE_API_KEY,
      dataDir: settings.DATA_DIR,
    });
  };
  return {
    terminal,
    wantsJson: () => globals().json === true,
    smtpPassword: settings.MILLRACE_SMTP_PASSWORD ?? null,
    mailboxPassword: settings.MILLRACE_MAILBOX_PASSWORD ?? null,
    connect: () =>
      openApiClient({
        ...findAddress(),
        signal,
        note,
        ...(line.wait ? { wait: line.wait } : {}),
      }),
    connectChat() {
      const address = findAddress();
      const wait = (delayMs: number): Promise<void> =>
        line.wait ? line.wait(delayMs, signal) : sleep(delayMs, undefined, { signal });
      return {
        client: openChatClient(address, { url: address.url, signal, note, wait }),
        url: address.url,
      };
    },
  };
}

/** Clears a progress bar from the line; the bar redraws itself below. */
function clearLine(stream: OutputStream): string {
  return stream.isTTY ? '\r\u001b[K' : '';
}

function parseAddress(text: string): string {
  const protocol = URL.parse(text)?.protocol;
  if (protocol === 'http:' || protocol === 'https:') return text;
  throw new InvalidArgumentError('It must begin with http:// or https://.');
}
