import { readFileSync, statSync } from 'node:fs';
import { resolve } from 'node:path';
import type { ChatRequest } from '#src/client/api-types.ts';
import type { MillraceClient } from '#src/client/millrace-client.ts';
import { CommandFailure, UsageError } from './exit.ts';
import type { Terminal } from './terminal.ts';

export interface AskOptions {
  session?: string;
  continue?: boolean;
  file?: string[];
  agent?: string;
  project?: number;
  model?: string;
  temperature?: number;
  deepResearch?: boolean;
  /** False with `--no-citations`. */
  citations: boolean;
  context?: string;
  reasoning?: boolean;
}

type AskTerminal = Pick<Terminal, 'signal' | 'workingFolder'>;

/**
 * Builds the request from the options of `ask`; looks up names and uploads files.
 * @throws UsageError for conflicting options, CommandFailure for anything that does not exist
 */
export async function buildChatRequest(
  client: MillraceClient,
  question: string,
  options: AskOptions,
  terminal: AskTerminal,
): Promise<ChatRequest> {
  checkTogether(options);
  const { signal } = terminal;
  const sessionId = await sessionOf(client, options, signal);
  const context = options.context === undefined ? null : readContext(options.context, terminal);
  const files = await attach(client, options.file ?? [], terminal);
  const override = overrideOf(options);
  const info = sessionId === null ? await newSession(client, options, signal) : {};
  return {
    message: question,
    ...(sessionId === null ? {} : { chat_session_id: sessionId }),
    ...(Object.keys(info).length === 0 ? {} : { chat_session_info: info }),
    ...(Object.keys(override).length === 0 ? {} : { llm_override: override }),
    ...(files.length === 0 ? {} : { file_descriptors: files }),
    ...(options.deepResearch === true ? { deep_research: true } : {}),
    ...(options.citations ? {} : { include_citations: false }),
    ...(context === null ? {} : { additional_context: context }),
  };
}

function checkTogether({ session, continue: isContinued, agent, project }: AskOptions): void {
  if (session !== undefined && isContinued === true)
    throw new UsageError('--session and --continue exclude each other: leave one out.');
  if (session !== undefined && (agent ?? project) !== undefined)
    throw new UsageError(
      '--agent and --project are for new sessions: leave them or --session out.',
    );
  if (isContinued === true && agent !== undefined)
    throw new UsageError('--agent is for new sessions: leave it or --continue out.');
}

/** The session to continue; null for a new one. */
async function sessionOf(
  client: MillraceClient,
  { session, continue: isContinued, project }: AskOptions,
  signal: AbortSignal,
): Promise<string | null> {
  if (session !== undefined) return session;
  if (isContinued !== true) return null;
  const filter = project === undefined ? { withProjects: true } : { projectId: project };
  const { sessions } = await client.sessions.list({ ...filter, pageSize: 1 }, { signal });
  const [latest] = sessions;
  if (!latest) throw new CommandFailure('There is no session to continue. Leave --continue out.');
  return latest.id;
}

async function newSession(
  client: MillraceClient,
  { agent, project }: AskOptions,
  signal: AbortSignal,
): Promise<{ persona_id?: number; project_id?: number }> {
  return {
    ...(agent === undefined ? {} : { persona_id: await agentId(client, agent, signal) }),
    ...(project === undefined ? {} : { project_id: project }),
  };
}

async function agentId(
  client: MillraceClient,
  agent: string,
  signal: AbortSignal,
): Promise<number> {
  if (/^\d+$/.test(agent)) return Number(agent);
  const agents = await client.agents.list({ signal });
  const found = agents.filter(({ name }) => name.toLowerCase() === agent.trim().toLowerCase());
  const [only] = found;
  if (only && found.length === 1) return only.id;
  const known = agents.map(({ id, name }) => `${name} (${id})`).join(', ');
  throw new CommandFailure(
    found.length === 0
      ? `There is no agent named ${agent}. There are: ${known}.`
      : `Several agents are named ${agent}. Name one by its id: ${known}.`,
  );
}

/** `provider/model`, or only a model; model names may contain slashes. */
function overrideOf({ model, temperature }: AskOptions): Record<string, string | number> {
  const slash = model?.indexOf('/') ?? -1;
  return {
    ...(model !== undefined && slash > 0 ? { model_provider: model.slice(0, slash) } : {}),
    ...(model === undefined ? {} : { model_version: model.slice(slash + 1) }),
    ...(temperature === undefined ? {} : { temperature }),
  };
}

/** Literal text, or `@` and the path of a file that contains it. */
function readContext(context: string, { workingFolder }: AskTerminal): string {
  if (!context.startsWith('@')) return context;
  const path = context.slice(1);
  try {
    return readFileSync(resolve(workingFolder, path), 'utf8');
  } catch (error) {
    throw new CommandFailure(`--context: ${path} cannot be read.`, { cause: error });
  }
}

type Descriptors = NonNullable<ChatRequest['file_descriptors']>;

async function attach(
  client: MillraceClient,
  paths: readonly string[],
  { signal, workingFolder }: AskTerminal,
): Promise<Descriptors> {
  if (paths.length === 0) return [];
  for (const path of paths) {
    if (statSync(resolve(workingFolder, path), { throwIfNoEntry: false })?.isFile() !== true)
      throw new CommandFailure(`--file: there is no file ${path}.`);
  }
  const absolute = paths.map((path) => resolve(workingFolder, path));
  const uploaded = await client.files.upload(absolute, { signal });
  const files = await client.files.read(uploaded.user_files, { signal });
  const refused = [
    ...uploaded.rejected_files.map(({ file_name, reason }) => `${file_name}: ${reason}`),
    ...files.flatMap(({ name, status, error }) =>
      status === 'FAILED' ? [`${name}: ${error ?? 'it could not be read.'}`] : [],
    ),
  ];
  if (refused.length > 0) throw new CommandFailure(`Not attached: ${refused.join('; ')}`);
  return files.map(({ id, file_id, name, chat_file_type: type }) => ({
    id: file_id,
    type,
    name,
    user_file_id: id,
  }));
}
