import { z } from 'zod';

import { NO_FILTERS } from '#src/documents/search/search-filters.ts';
import type { ChatSessionId } from '#src/ids.ts';
import { Problem } from '#src/platform/errors.ts';
import type { ChatModels } from '#src/chat/model/chat-models.ts';
import { type ChatRequest, messageSchema } from './chat-request.ts';

const DEFAULT_TEMPERATURE = 0.7;

/** The body of `POST /chat/send-message`, as the OpenAPI document describes it. */
export const referenceMessageSchema = z.looseObject({
  session_id: z.string('is needed: the id of a session that POST /chat/session has made.'),
  message: messageSchema,
  model: z.string().nullish().describe('One of the configured identifiers; the first unless told.'),
  temperature: z
    .number()
    .min(0, 'must be a number from 0.0 to 1.0')
    .max(1, 'must be a number from 0.0 to 1.0')
    .default(DEFAULT_TEMPERATURE),
});

/** The body that clients of the platform family used to send to the same URL. */
const LEGACY_KEYS = ['search_doc_ids', 'retrieval_options', 'parent_message_id'];

export function isLegacyMessage(body: unknown): boolean {
  return typeof body === 'object' && body !== null && LEGACY_KEYS.some((key) => key in body);
}

/** @throws Problem BAD_REQUEST for a model that is not configured, NOT_FOUND for a malformed session id */
export function readReferenceMessage(
  body: z.output<typeof referenceMessageSchema>,
  models: ChatModels,
): ChatRequest {
  const [first] = models.named.keys();
  const asked = body.model ?? first ?? '';
  const model = models.named.get(asked);
  if (model === undefined) {
    const known = [...models.named.keys()].join(', ');
    throw new Problem('BAD_REQUEST', `body.model: must be one of ${known}.`);
  }
  const sessionId = z.guid().safeParse(body.session_id);
  if (!sessionId.success) {
    throw new Problem(
      'NOT_FOUND',
      `There is no chat session ${body.session_id.slice(0, 100)}. POST /chat/session makes one.`,
    );
  }
  return {
    message: body.message,
    llmOverride: {
      model_provider: model?.provider ?? null,
      model_version: model?.name ?? null,
      temperature: body.temperature,
    },
    allowedToolIds: null,
    forcedToolId: null,
    files: [],
    filters: NO_FILTERS,
    deepResearch: false,
    parent: 'last',
    // Format checked above; existence is checked with the owner's ids.
    sessionId: sessionId.data as ChatSessionId,
    personaId: 0,
    projectId: null,
    citations: { isShown: true },
    additionalContext: null,
    mcpHeaders: null,
  };
}
