import { countTokens } from '#src/documents/count-tokens.ts';
import type { ChatModelMessage, ModelImage } from '#src/chat/model/chat-model.ts';
import { cutMiddle, tokensUpTo } from './cut-text.ts';
import { delimit, delimitJson } from './delimit.ts';
import { fitHistory, type PastMessage } from './fit-history.ts';
import { fitMaterial, type Material } from './fit-material.ts';
import { addLeftOutNotice } from './left-out-notice.ts';
import { IMAGE_TOKENS, MESSAGE_TOKENS } from './message-tokens.ts';
import { promptRules } from './prompt-rules.ts';

export type { PastMessage } from './fit-history.ts';

/**
 * Share of the remaining budget, after the rules and the question, that is reserved for the latest turns however long
 * the material is.
 */
const HISTORY_SHARE = 0.25;
/** Tokens for blank lines and tags around a piece of material. */
const DELIMITER_TOKENS = 32;
/** Tokens for two messages, the label of the question, and the notice of what was left out. */
const FRAME_TOKENS = 2 * MESSAGE_TOKENS + 2 + 24;

export interface PromptInput {
  /** The agent's instructions; may be blank. */
  instructions: string;
  projectInstructions: string | null;
  /** Oldest first. */
  history: readonly PastMessage[];
  question: string;
  images: readonly ModelImage[];
  /** Texts of attached files. */
  attachments: readonly { name: string; text: string }[];
  /** JSON of the documents found for the question; null when nothing was searched. */
  documents: string | null;
  /** The caller's context for this message only. */
  additionalContext: string | null;
  /** Tools that the model may call. */
  toolNames: readonly string[];
  includeCitations: boolean;
  now: Date;
  /** Estimated token limit of all messages together. */
  budgetTokens: number;
}

/**
 * The messages of the first model call: rules, the latest history that fits, then material and question. Never fails:
 * long parts are cut with a notice, the oldest turns are dropped first, and the question stays.
 */
export function buildPrompt(input: PromptInput): ChatModelMessage[] {
  const rules = promptRules({
    ...input,
    hasDocuments: input.documents !== null,
    hasAttachments: input.attachments.length > 0,
    hasContext: input.additionalContext !== null,
    // Cut the instructions before the question.
    budgetTokens: input.budgetTokens - tokensUpTo(input.question, input.budgetTokens),
  });
  const { question, material, room } = fitLast(input, rules);
  const { kept, left } = fitHistory(input.history, room);
  const asked = material.length === 0 ? question : `Question:\n${question}`;
  const content = question === '' ? material : [...material, asked];
  return [
    { role: 'system', content: addLeftOutNotice(rules, left) },
    ...kept,
    {
      role: 'user',
      content: content.join('\n\n'),
      ...(input.images.length > 0 && { images: input.images }),
    },
  ];
}

/** The content of the last message, and the tokens left for history. */
function fitLast(
  input: PromptInput,
  rules: string,
): { question: string; material: string[]; room: number } {
  const material = materialOf(input);
  if (surelyFits(input, rules))
    return { question: input.question, material: fitMaterial(material, Infinity), room: Infinity };
  let room = input.budgetTokens - FRAME_TOKENS - DELIMITER_TOKENS * material.length;
  room -= countTokens(rules) + IMAGE_TOKENS * input.images.length;
  const question = cutMiddle(input.question, Math.max(1, room));
  room = Math.max(0, room - countTokens(question));
  // The latest turns keep a share however long the material is; what they do not use, the material gets.
  const latest = fitHistory(input.history, Math.floor(room * HISTORY_SHARE)).kept;
  const reserved = latest.reduce(
    (sum, { content }) => sum + MESSAGE_TOKENS + countTokens(content),
    0,
  );
  const shown = fitMaterial(material, room - reserved);
  room -= shown.reduce((sum, text) => sum + countTokens(text), 0);
  return { question, material: shown, room: Math.max(0, room) };
}

function materialOf({ documents, attachments, additionalContext }: PromptInput): Material[] {
  const material: Material[] = attachments.map(({ name, text }) => ({
    text,
    show: (shown) => delimit('attachment', shown, name),
  }));
  if (documents !== null)
    material.push({ text: documents, show: (shown) => delimitJson('documents', shown) });
  if (additionalContext !== null)
    material.push({
      text: additionalContext,
      show: (shown) => `Context given with the question:\n${delimit('context', shown)}`,
    });
  return material;
}

/**
 * A token has at least one character, so most conversations need not be counted. Escaping makes up to six characters of
 * one.
 */
function surelyFits(input: PromptInput, rules: string): boolean {
  const { history, question, documents, attachments, additionalContext, images } = input;
  const material = [
    documents ?? '',
    additionalContext ?? '',
    ...attachments.map(({ text }) => text),
  ];
  const most =
    rules.length +
    question.length +
    IMAGE_TOKENS * images.length +
    DELIMITER_TOKENS * (material.length + 1) +
    attachments.reduce((sum, { name }) => sum + 2 * name.length, 0) +
    material.reduce((sum, text) => sum + text.length + 5 * text.split('<').length, 0) +
    history.reduce((sum, { content }) => sum + MESSAGE_TOKENS + content.length, 0);
  return most <= input.budgetTokens;
}
