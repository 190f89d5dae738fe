import { type Tool, ToolFailed } from '#src/chat/tools/tool.ts';
import { OutboundError, type OutboundResponse } from '#src/platform/outbound.ts';
import type { ChatServices } from '#src/chat/chat-services.ts';
import { buildRequest } from './build-request.ts';
import { checkArguments } from './check-arguments.ts';
import { type CustomHeader, secretsOf } from './custom-headers.ts';
import { cutText } from './json-object.ts';
import type { Operation } from './operation.ts';
import { readServiceAnswer } from './service-answer.ts';
import { showCustomFailure } from './show-failure.ts';
import { type FileOwner, showAnswer } from './show-answer.ts';

const TIMEOUT_MS = 30_000;
const MAX_ANSWER_BYTES = 5_000_000;
const MAX_ERROR_CHARACTERS = 2_000;

const DEFAULT_HEADERS: readonly CustomHeader[] = [
  { key: 'accept', value: 'application/json, text/*;q=0.9, image/*;q=0.8, */*;q=0.5' },
];

export interface OperationOwner extends FileOwner {
  /** The id of the operation's row. */
  toolId: number;
  /**
   * The headers of every call.
   * @throws ToolFailed when they cannot be decrypted
   */
  headers(): readonly CustomHeader[];
}

/** A tool that calls one operation of an OpenAPI document. */
export function createOperationTool(
  services: Pick<ChatServices, 'http' | 'files'>,
  owner: OperationOwner,
  operation: Operation,
  name: string,
): Tool {
  const tool = { name, id: owner.toolId };
  return {
    id: owner.toolId,
    name,
    description: operation.description,
    parameters: operation.schema,
    mergedBy: null,
    isLast: false,
    showFailure: (failure) => showCustomFailure(tool, failure),
    async *run(input, { signal }) {
      yield { type: 'custom_tool_start', tool_name: tool.name, tool_id: tool.id };
      const headers = owner.headers();
      const answer = await callOperation(services.http, operation, { input, headers, signal });
      const content = readServiceAnswer(
        { bytes: answer.bytes, mediaType: mediaTypeOf(answer.headers), isCut: answer.isCut },
        secretsOf(headers),
      );
      const shown = await showAnswer(services.files, owner, tool, content);
      const failure = failureOf(operation, answer);
      yield { ...shown.packet, error: failure };
      const text = failure
        ? `The call failed: ${failure.message} ${cutText(shown.text, MAX_ERROR_CHARACTERS)}`.trim()
        : shown.text || `[Status ${answer.status}, without content.]`;
      return { text, documents: [] };
    },
  };
}

/** @throws ToolFailed when the arguments are wrong or the service gives no answer */
async function callOperation(
  http: ChatServices['http'],
  operation: Operation,
  call: { input: unknown; headers: readonly CustomHeader[]; signal: AbortSignal },
): Promise<OutboundResponse> {
  const { url, method, body, mediaType } = buildRequest(
    operation,
    checkArguments(operation.schema, call.input),
  );
  try {
    return await http.send({
      url,
      method,
      ...(body !== null && { body }),
      headers: headersOf([...DEFAULT_HEADERS, ...contentTypeOf(mediaType), ...call.headers]),
      signal: call.signal,
      timeoutMs: TIMEOUT_MS,
      maxBytes: MAX_ANSWER_BYTES,
      excess: 'cut',
    });
  } catch (error) {
    if (error instanceof OutboundError) throw new ToolFailed(error.message, { cause: error });
    throw error;
  }
}

function failureOf({ baseUrl }: Operation, { status }: OutboundResponse) {
  if (status < 400) return null;
  return {
    is_auth_error: status === 401 || status === 403,
    status_code: status,
    message: `${new URL(baseUrl).hostname} answered ${status}.`,
  };
}

function contentTypeOf(mediaType: string | null): CustomHeader[] {
  return mediaType === null ? [] : [{ key: 'content-type', value: mediaType }];
}

/** Of two headers with the same name, the later one wins. */
function headersOf(headers: readonly CustomHeader[]): Record<string, string> {
  return Object.fromEntries(headers.map(({ key, value }) => [key.toLowerCase(), value]));
}

function mediaTypeOf(headers: Headers): string {
  return headers.get('content-type')?.split(';')[0]?.trim().toLowerCase() ?? '';
}
