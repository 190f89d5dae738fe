import type { ChatModel, ChatModelMessage } from '#src/chat/model/chat-model.ts';
import { type CitationStyle, CitationWriter } from '#src/chat/citations/citations.ts';
import { cutNote } from '#src/chat/steps/cut-note.ts';
import { ModelFailed } from '#src/chat/model/model-failed.ts';
import type { AnswerBody, Packet } from '#src/chat/wire/packets.ts';
import { countTokens, takeTokens } from '#src/documents/count-tokens.ts';
import { askForWords } from './ask-for-words.ts';
import type { ResearchRun } from './ask-within-budget.ts';
import type { Findings } from './direct-agents.ts';
import type { Place } from './place.ts';
import { enclose, REPORT_RULES, withMaterial, withRules } from './prompts.ts';

const NO_REPORTS = 'No agent brought a report. Say so, and say what could be asked instead.';
const CUT = '\n\n[The rest of this report did not fit.]';
/** Reserve for the rules, the notes, and errors of the estimates. */
const SPARE_TOKENS = 4_000;

interface ReportInput {
  messages: readonly ChatModelMessage[];
  findings: Findings;
  citations: CitationStyle;
  onCut?: () => void;
}

/**
 * Writes the final report. When the model writes nothing, the agents' reports are the answer.
 * @throws ModelFailed when the provider fails, or when nothing was written and there is nothing else to show
 */
export async function* writeReport(
  run: ResearchRun,
  place: Place,
  { messages, findings, citations, onCut }: ReportInput,
): AsyncGenerator<Packet, void> {
  const { documents, reports } = findings;
  const sources = [...documents].map(
    ([number, { document_id: documentId, link }]) => [number, { documentId, link }] as const,
  );
  const writer = new CitationWriter(new Map(sources), citations);
  const at = (bodies: readonly AnswerBody[]): Packet[] => bodies.map((body) => place.at(body));
  const start = (): Packet =>
    place.at({ type: 'message_start', final_documents: [...documents.values()] });
  let isStarted = false;
  const maxTextTokens = run.limits.reportTokens;
  const room = roomForReports(run, messages, maxTextTokens);
  const step = yield* askForWords(run, place, {
    messages: withMaterial(withRules(messages, REPORT_RULES), describe(reports, room)),
    maxTextTokens,
    signal: run.signal,
    show(text) {
      const bodies = at(writer.write(text));
      if (isStarted) return bodies;
      isStarted = true;
      return [start(), ...bodies];
    },
  });
  if (!isStarted) {
    if (reports.length === 0 || step.reason === 'content-filter')
      throw noReport(run.model, step.reason);
    yield start();
    yield* at(writer.write(asAnswer(reports)));
  }
  yield* at(writer.end());
  if (step.text === '' || step.reason !== 'length') return;
  if (!step.isOver) yield place.at({ type: 'message_delta', content: cutNote(step.text) });
  onCut?.();
}

function roomForReports(
  run: ResearchRun,
  messages: readonly ChatModelMessage[],
  outputTokens: number,
): number {
  const { contextTokens } = run.model;
  const rest = messages.reduce((sum, { content }) => sum + countTokens(content), SPARE_TOKENS);
  const output = Math.min(outputTokens, Math.floor(contextTokens / 4));
  // The reports take precedence over a long conversation: its oldest turns are dropped.
  return Math.max(contextTokens - output - rest, Math.floor(contextTokens / 2));
}

/** All reports in `room` tokens; if they are longer, each gets an equal share. */
function describe(reports: Findings['reports'], room: number): string {
  if (reports.length === 0) return NO_REPORTS;
  const total = reports.reduce((sum, { text }) => sum + countTokens(text), 0);
  const share = total <= room ? room : Math.floor(room / reports.length);
  const described = reports.map(({ task, text }) => {
    const end = takeTokens(text, 0, text.length, share);
    const part = end < text.length ? `${text.slice(0, end)}${CUT}` : text;
    return enclose('report', `Task: ${task}\n\n${part}`);
  });
  return described.join('\n\n');
}

function asAnswer(reports: Findings['reports']): string {
  return reports.map(({ task, text }) => `**${task}**\n\n${text}`).join('\n\n');
}

function noReport({ name, provider }: ChatModel, reason: string): ModelFailed {
  const isRefused = reason === 'content-filter';
  return new ModelFailed(
    isRefused
      ? `The provider of the language model ${name} withheld the report for its content. Ask in other words.`
      : `The language model ${name} ended without a report. Ask again, or ask in other words.`,
    {
      errorCode: isRefused ? 'CONTENT_POLICY' : 'EMPTY_LLM_RESPONSE',
      details: { model: name, provider, finish_reason: reason },
    },
  );
}
