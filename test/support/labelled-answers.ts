import { readdirSync, readFileSync } from 'node:fs';
import { z } from 'zod';
import type { ApiClient } from './api-client.ts';

const FIXTURE = new URL('../fixtures/answers/', import.meta.url);

const labelledQuestion = z.object({
  question: z.string(),
  /** Id of the document with the answer; null when there is none. */
  document: z.string().nullable(),
  /** A pattern that a right answer matches. */
  fact: z.string(),
});
const questionsSchema = z.object({
  answerable: z.array(labelledQuestion),
  unanswerable: z.array(z.string()),
  followUps: z.array(labelledQuestion.extend({ before: z.array(z.string()) })),
});

/** The handbook of an invented company, with questions about it and about other topics. */
export const LABELLED = questionsSchema.parse(
  JSON.parse(readFileSync(new URL('questions.json', FIXTURE), 'utf8')),
);

const DOCUMENTS: readonly { id: string; title: string; text: string }[] = readdirSync(
  new URL('documents/', FIXTURE),
)
  .toSorted()
  .map((id) => {
    const text = readFileSync(new URL(`documents/${id}`, FIXTURE), 'utf8');
    return { id, title: /^# (.+)/.exec(text)?.[1] ?? id, text };
  });

const answerSchema = z.object({
  answer: z.string(),
  top_documents: z.array(z.object({ document_id: z.string() })),
  citation_info: z.array(z.object({ citation_number: z.int(), document_id: z.string() })),
  message_id: z.int(),
  chat_session_id: z.string(),
});
export type Answered = z.output<typeof answerSchema>;

/** Pushes the handbook, which is searchable once nothing is waiting. @throws when a document is refused */
export async function pushHandbook(client: Pick<ApiClient, 'call'>): Promise<void> {
  const documents = DOCUMENTS.map(({ id, title, text }) => ({
    document: { id, semantic_identifier: title, sections: [{ text }], source: 'file' },
  }));
  const { body, text } = await client.call('POST', '/service-api/ingestion/batch', { documents });
  if (body?.failed !== 0) throw new Error(`The handbook was refused: ${text}`);
}

/** Asks in a new session, after the preceding questions. */
export async function askHandbook(
  client: Pick<ApiClient, 'call'>,
  question: string,
  before: readonly string[] = [],
): Promise<Answered> {
  let session: string | null = null;
  let answered: Answered | null = null;
  for (const message of [...before, question]) {
    const place = session === null ? {} : { chat_session_id: session };
    const { text } = await client.call('POST', '/chat/send-chat-message', {
      message,
      stream: false,
      ...place,
    });
    answered = answerSchema.parse(JSON.parse(text));
    session = answered.chat_session_id;
  }
  if (answered === null) throw new Error('Nothing was asked.');
  return answered;
}

export interface Judged {
  question: string;
  isRefused: boolean;
  /** Whether the first cited document is the labelled one or, for a question without one, the answer cites nothing. */
  isRightFirst: boolean;
  hasFact: boolean;
}

export function judge(
  { question, document, fact }: z.output<typeof labelledQuestion>,
  { answer, citation_info }: Answered,
): Judged {
  const isRefused = citation_info.length === 0;
  const first = citation_info[0]?.document_id ?? null;
  const hasFact = !isRefused && document !== null && new RegExp(fact, 'i').test(answer);
  return { question, isRefused, isRightFirst: first === document, hasFact };
}
