import { readEvents } from '#src/client/read-events.ts';
import type { Operations } from './api-types.ts';
import type { Attachment } from './attachments.ts';
import { send } from './call.ts';
import { ApiProblem, toProblem } from './problem.ts';

export type Packet =
  Operations['GET /chat/get-chat-session/{id}']['reply']['packets'][number][number];
export type Source = Extract<
  Packet['obj'],
  { type: 'search_tool_documents_delta' }
>['documents'][number];

/** What the answer did on its way: a search, a visit to a page, a tool. */
export interface Step {
  readonly key: string;
  readonly what: string;
  readonly detail: string;
  readonly isDone: boolean;
}

/** A question and its answer, as far as it has come. */
export interface Turn {
  readonly question: string;
  /** Names of the files that came with the question. */
  readonly files: readonly string[];
  readonly text: string;
  readonly reasoning: string;
  readonly steps: readonly Step[];
  readonly sources: readonly Source[];
  /** Number of a citation → id of its document. */
  readonly cited: Readonly<Record<number, string>>;
  readonly state: 'running' | 'done' | 'failed' | 'stopped';
  readonly problem: ApiProblem | null;
}

export function newTurn(question: string, files: readonly string[] = []): Turn {
  return {
    question,
    files,
    text: '',
    reasoning: '',
    steps: [],
    sources: [],
    cited: {},
    state: 'running',
    problem: null,
  };
}

/** The turn after one more packet. */
export function withPacket(turn: Turn, { placement, obj }: Packet): Turn {
  const key = `${placement.turn_index}.${placement.tab_index}.${placement.sub_turn_index ?? ''}`;
  switch (obj.type) {
    case 'message_start':
      return { ...turn, sources: merged(turn.sources, obj.final_documents ?? []) };
    case 'message_delta':
      return { ...turn, text: turn.text + obj.content };
    case 'citation_info':
      return { ...turn, cited: { ...turn.cited, [obj.citation_number]: obj.document_id } };
    case 'reasoning_delta':
      return { ...turn, reasoning: turn.reasoning + obj.reasoning };
    case 'search_tool_documents_delta':
    case 'open_url_documents':
      return { ...turn, sources: merged(turn.sources, obj.documents) };
    case 'intermediate_report_cited_docs':
      return { ...turn, sources: merged(turn.sources, obj.cited_docs ?? []) };
    case 'section_end':
      return {
        ...turn,
        steps: turn.steps.map((step) => (step.key === key ? { ...step, isDone: true } : step)),
      };
    case 'error':
      return { ...turn, state: 'failed', problem: failure(obj.message, obj.error_code) };
    case 'stop':
      return ended(turn, obj.stop_reason === 'user_cancelled' ? 'stopped' : 'done');
    default: {
      const step = stepOf(obj);
      return step === null
        ? turn
        : { ...turn, steps: withStep(turn.steps, { key, isDone: false, ...step }) };
    }
  }
}

function ended(turn: Turn, state: Turn['state']): Turn {
  return { ...turn, state, steps: turn.steps.map((step) => ({ ...step, isDone: true })) };
}

function failure(message: string, code: string): ApiProblem {
  return new ApiProblem(message, { status: null, code });
}

function stepOf(obj: Packet['obj']): Pick<Step, 'what' | 'detail'> | null {
  switch (obj.type) {
    case 'search_tool_start':
      return {
        what: obj.is_internet_search ? 'Searches the web' : 'Searches the documents',
        detail: '',
      };
    case 'search_tool_queries_delta':
      return { what: '', detail: obj.queries.join(' · ') };
    case 'open_url_start':
      return { what: 'Reads pages', detail: '' };
    case 'open_url_urls':
      return { what: '', detail: obj.urls.join(' · ') };
    case 'python_tool_start':
      return { what: 'Runs Python', detail: obj.code };
    case 'custom_tool_start':
      return { what: `Uses ${obj.tool_name}`, detail: '' };
    case 'image_generation_start':
      return { what: 'Makes an image', detail: '' };
    case 'deep_research_plan_start':
      return { what: 'Plans the research', detail: '' };
    case 'deep_research_plan_delta':
      return { what: '', detail: obj.content };
    case 'research_agent_start':
      return { what: 'Looks into', detail: obj.research_task };
    default:
      return null;
  }
}

function withStep(steps: readonly Step[], step: Step): readonly Step[] {
  const known = steps.find(({ key }) => key === step.key);
  if (known === undefined) return [...steps, step];
  const detail = known.detail + step.detail;
  return steps.map((other) =>
    other === known ? { ...known, what: step.what || known.what, detail } : other,
  );
}

function merged(known: readonly Source[], more: readonly Source[]): readonly Source[] {
  const idOf = (source: Source): string => `${source.document_id}#${source.chunk_ind}`;
  const ids = new Set(known.map(idOf));
  return [...known, ...more.filter((source) => !ids.has(idOf(source)))];
}

/** One line of an answer's stream. */
type Line = Packet | { chat_session_id: string } | { reserved_assistant_message_id: number };

export interface Progress {
  /** Null until a new session has its id. */
  sessionId: string | null;
  onSession: (sessionId: string) => void;
  onPacket: (packet: Packet) => void;
}

const MAX_RESUMES = 5;
const FIRST_PAUSE_MS = 300;

/** What is asked. */
export interface Asked {
  readonly text: string;
  readonly files: readonly Pick<Attachment, 'id' | 'file_id' | 'name'>[];
  /** The name of the document set that is searched; null for all documents. */
  readonly documentSet: string | null;
}

/**
 * Asks, and hands over the packets as they come. A broken connection is taken up where it broke.
 * @throws ApiProblem for a refusal, or when the answer cannot be followed any more; the signal's reason
 */
export async function ask(
  { text, files, documentSet }: Asked,
  progress: Progress,
  signal: AbortSignal,
): Promise<void> {
  const body = {
    message: text,
    stream: true,
    include_citations: true,
    ...(progress.sessionId === null ? {} : { chat_session_id: progress.sessionId }),
    ...(documentSet === null ? {} : { search_filters: { document_set: [documentSet] } }),
    ...(files.length > 0 && {
      file_descriptors: files.map(({ id, file_id: fileId, name }) => ({
        id: fileId,
        user_file_id: id,
        name,
      })),
    }),
  };
  const place = { next: 0, isWhole: false };
  const response = await send('POST /chat/send-chat-message', { body, signal, timeoutMs: null });
  await read(response, place, progress).catch(() => signal.throwIfAborted());
  for (let attempt = 0; !place.isWhole && attempt < MAX_RESUMES; attempt += 1) {
    if (progress.sessionId === null) break;
    await pause(FIRST_PAUSE_MS * 2 ** attempt, signal);
    try {
      const rest = await send('GET /chat/chat-session/{chat_session_id}/resume-stream', {
        path: { chat_session_id: progress.sessionId },
        query: { cursor: place.next },
        signal,
        timeoutMs: null,
      });
      await read(rest, place, progress);
    } catch (error) {
      signal.throwIfAborted();
      const { status } = toProblem(error);
      if (status !== null && status < 500) break;
    }
  }
  if (!place.isWhole) {
    throw new ApiProblem(
      'The connection broke before the end of the answer. Open the chat again to see all of it.',
      {
        status: null,
        code: 'NO_ANSWER',
      },
    );
  }
}

async function read(
  response: Response,
  place: { next: number; isWhole: boolean },
  progress: Progress,
): Promise<void> {
  if (response.body === null) return;
  for await (const { id, data } of readEvents(response.body)) {
    // The service's own stream; a line of a kind that is not known changes nothing.
    const line = JSON.parse(data) as Line;
    place.next = (id === null ? place.next : Number(id)) + 1;
    if ('chat_session_id' in line) {
      progress.sessionId = line.chat_session_id;
      progress.onSession(line.chat_session_id);
    } else if ('obj' in line) {
      progress.onPacket(line);
      if (line.obj.type === 'stop' || line.obj.type === 'error') place.isWhole = true;
    }
  }
}

function pause(delayMs: number, signal: AbortSignal): Promise<void> {
  return new Promise((resolve, reject) => {
    const timer = setTimeout(resolve, delayMs);
    signal.addEventListener('abort', () => {
      clearTimeout(timer);
      reject(signal.reason as Error);
    });
  });
}
