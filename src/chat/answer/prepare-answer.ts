import { Problem } from '#src/platform/errors.ts';
import type { ChatServices } from '#src/chat/chat-services.ts';
import { type Agent, DEFAULT_AGENT, findAgent } from '#src/chat/agents/find-agent.ts';
import type { ChatModel } from '#src/chat/model/chat-model.ts';
import { type ChatRequest, NO_WORDS } from '#src/chat/request/chat-request.ts';
import type { ChatOwner } from '#src/chat/turns/chat-owner.ts';
import { openToolbox, searchTools, type Toolbox } from './open-toolbox.ts';
import { checkResearch } from '#src/chat/research/deep-research.ts';
import { loadProjectSources, type ProjectSources } from './project-sources.ts';
import {
  findPlace,
  NEW_SESSION,
  readSessionSettings,
  type SessionSettings,
  type TurnPlace,
} from '#src/chat/turns/turn-place.ts';
import { type Attachment, loadAttachments } from '#src/chat/user-files/load-attachments.ts';

/** Number of files of earlier messages that are included again, the latest first. */
const MAX_EARLIER_FILES = 10;

/** The user for whom an answer is made. */
export interface AnswerCaller extends ChatOwner {
  /** The `Authorization` header of the request, for tools that pass it on; null when there is none. */
  authorization: string | null;
}

/** Everything that an answer needs, validated: later errors are not the request's fault. */
export interface PreparedAnswer {
  request: ChatRequest;
  /** The message, or the earlier one that is answered again. */
  question: string;
  place: TurnPlace;
  settings: SessionSettings;
  agent: Agent;
  project: ProjectSources | null;
  model: ChatModel | null;
  temperature: number | null;
  /** Files of this message first, then of earlier ones. */
  attachments: readonly Attachment[];
  /** How many of them belong to this message. */
  newAttachments: number;
  toolbox: Toolbox;
}

/**
 * Reads and validates everything that a request names.
 * @throws Problem for a model, session, parent message, agent, project, file or tool that does not exist
 */
export async function prepareAnswer(
  services: ChatServices,
  caller: AnswerCaller,
  request: ChatRequest,
  signal: AbortSignal,
): Promise<PreparedAnswer> {
  const { db } = services;
  const overridden = services.chatModels.choose(request.llmOverride);
  const settings = await settingsOf(services, caller, request);
  const agent = await agentOf(services, caller, request, settings);
  const reader = modelOf(services, request, settings, agent, overridden);
  const place =
    request.sessionId === null
      ? placeInNewSession(request)
      : await findPlace(db, caller, request.sessionId, request.parent);
  if (place.answered === null && request.message === '' && request.files.length === 0)
    throw new Problem('BAD_REQUEST', `body.message: ${NO_WORDS}`);
  const project =
    settings.projectId === null
      ? null
      : await loadProjectSources(services, caller, settings.projectId, reader);
  const files = place.answered ? fromDescriptors(place.answered.files) : request.files;
  const attached = await loadAttachments(services, caller, files, signal);
  const earlier = await earlierAttachments(services, caller, { place, attached }, signal);
  const attachments = [...attached, ...earlier];
  const model = chooseModelForImages(services, request, reader, attached);
  const toolbox = await openToolbox(services, {
    caller,
    request,
    agent,
    model,
    project,
    attachments,
    userTexts: userTextsOf(place, request),
  });
  if (request.deepResearch) checkResearchHere(model, project, toolbox);
  return {
    request,
    question: place.answered?.content ?? request.message,
    place,
    settings,
    agent,
    project,
    model,
    temperature: request.llmOverride?.temperature ?? settings.temperature ?? agent.temperature,
    attachments,
    newAttachments: attached.length,
    toolbox,
  };
}

function placeInNewSession({ parent }: ChatRequest): TurnPlace {
  if (typeof parent !== 'number') return NEW_SESSION;
  throw new Problem(
    'BAD_REQUEST',
    `parent_message_id: message ${parent} is in no new chat session. Name its session in chat_session_id, or leave it out.`,
  );
}

async function settingsOf(
  { db }: ChatServices,
  caller: AnswerCaller,
  { sessionId, personaId, projectId }: ChatRequest,
): Promise<SessionSettings> {
  if (sessionId !== null) return readSessionSettings(db, caller, sessionId);
  // Ids from the caller: the following steps check that they exist.
  return {
    agentId: personaId === DEFAULT_AGENT.id ? null : (personaId as SessionSettings['agentId']),
    projectId: projectId as SessionSettings['projectId'],
    temperature: null,
    model: null,
  };
}

async function agentOf(
  { db }: ChatServices,
  caller: AnswerCaller,
  { sessionId, personaId }: ChatRequest,
  { agentId }: SessionSettings,
): Promise<Agent> {
  const agent = await findAgent(db, caller, agentId ?? DEFAULT_AGENT.id);
  if (agent) return agent;
  // A session outlives its agent.
  if (sessionId !== null) return DEFAULT_AGENT;
  throw new Problem(
    'BAD_REQUEST',
    `chat_session_info.persona_id: there is no agent ${personaId}. GET /persona lists the agents.`,
  );
}

/** The request takes precedence over the session, and the session over the agent. */
function modelOf(
  { chatModels }: ChatServices,
  { llmOverride }: ChatRequest,
  { model: ofSession }: SessionSettings,
  agent: Agent,
  overridden: ChatModel | null,
): ChatModel | null {
  if (namesModel(llmOverride)) return overridden;
  const known = (provider: string | null, version: string | null): ChatModel | null =>
    chatModels.all.find(
      (model) =>
        (version === null || model.name === version) &&
        (provider === null || model.provider.toLowerCase() === provider.toLowerCase()),
    ) ?? null;
  // A model configured for a session or an agent may no longer exist; then the default model answers.
  const session = ofSession === null ? null : findByLabel(chatModels.all, ofSession);
  const hasOwn = agent.modelProvider !== null || agent.modelVersion !== null;
  const own = hasOwn ? known(agent.modelProvider, agent.modelVersion) : null;
  return session ?? own ?? chatModels.default;
}

function namesModel(override: ChatRequest['llmOverride']): boolean {
  return Boolean(override?.model_provider?.trim() || override?.model_version?.trim());
}

/** Uses the vision model for images unless another model was chosen. */
function chooseModelForImages(
  { chatModels }: ChatServices,
  { llmOverride }: ChatRequest,
  model: ChatModel | null,
  attached: readonly Attachment[],
): ChatModel | null {
  const isChosen = namesModel(llmOverride) || model !== chatModels.default;
  const hasImages = attached.some(({ image }) => image !== null);
  if (isChosen || !hasImages || model === null || model.readsImages) return model;
  return chatModels.vision ?? model;
}

function findByLabel(models: readonly ChatModel[], label: string): ChatModel | null {
  const isNamed = ({ provider, name }: ChatModel): boolean =>
    name === label || `${provider}/${name}` === label;
  return models.find(isNamed) ?? null;
}

function checkResearchHere(
  model: ChatModel | null,
  project: ProjectSources | null,
  { tools }: Toolbox,
): void {
  if (project !== null) {
    throw new Problem(
      'BAD_REQUEST',
      'deep_research: it is not possible inside a project. Send false, or ask outside of the project.',
    );
  }
  checkResearch(model, searchTools(tools));
}

function fromDescriptors(
  files: readonly { id: string; user_file_id: string | null }[],
): { id: string; userFileId: string | null }[] {
  return files.map(({ id, user_file_id }) => ({ id, userFileId: user_file_id }));
}

/** Answers are excluded, because they may repeat what a document says. */
function userTextsOf({ history, answered }: TurnPlace, request: ChatRequest): string[] {
  const before = history.filter(({ role }) => role === 'user').map(({ content }) => content);
  return [...before, answered?.content ?? request.message];
}

/** Files of earlier messages, because a question may refer to them. Deleted ones are skipped. */
async function earlierAttachments(
  services: ChatServices,
  caller: AnswerCaller,
  { place, attached }: { place: TurnPlace; attached: readonly Attachment[] },
  signal: AbortSignal,
): Promise<Attachment[]> {
  const seen = new Set<string>(attached.map(({ descriptor }) => descriptor.id));
  const descriptors = place.history
    .toReversed()
    .flatMap(({ files }) => files)
    .filter(({ id }) => !seen.has(id) && seen.add(id))
    .slice(0, MAX_EARLIER_FILES);
  const loaded = await Promise.all(
    descriptors.map((descriptor) =>
      loadAttachments(services, caller, fromDescriptors([descriptor]), signal).catch((error) => {
        if (error instanceof Problem) return [];
        throw error;
      }),
    ),
  );
  return loaded.flat();
}
