import type { PacketBody } from '#src/chat/packets.ts';
import { type Tool, type ToolContext, ToolFailed, type ToolResult } from '#src/chat/tools/tool.ts';
import { OutboundError, type OutboundResponse } from '#src/platform/outbound.ts';
import type { Services } from '#src/services.ts';
import { buildRequest } from './build-request.ts';
import { checkArguments } from './check-arguments.ts';
import { type CustomHeader, secretsOf } from './custom-headers.ts';
import { cutText } from './json-object.ts';
import type { Operation } from './operation.ts';
import { hideSecrets, readServiceAnswer } from './service-answer.ts';
import { type FileOwner, showAnswer } from './show-answer.ts';

const TIMEOUT_MS = 30_000;
const MAX_ANSWER_BYTES = 5_000_000;
const MAX_ERROR_CHARACTERS = 2_000;

const DEFAULT_HEADERS: readonly CustomHeader[] = [
  { key: 'accept', value: 'application/json, text/*;q=0.9, image/*;q=0.8, */*;q=0.5' },
];

export interface OperationOwner extends FileOwner {
  /** The id of the row that the operation belongs to. */
  toolId: number;
  /** What every call carries. @throws ToolFailed when they cannot be read */
  headers(): readonly CustomHeader[];
}

/** A tool that calls one operation of an OpenAPI document. */
export function createOperationTool(
  { http, files }: Pick<Services, 'http' | 'files'>,
  owner: OperationOwner,
  operation: Operation,
  name: string,
): Tool {
  const id = owner.toolId;
  async function* run(
    input: unknown,
    { signal }: ToolContext,
  ): AsyncGenerator<PacketBody, ToolResult> {
    yield { type: 'custom_tool_start', tool_name: name, tool_id: id };
    const { mediaType, ...request } = buildRequest(
      operation,
      checkArguments(operation.schema, input),
    );
    const own = owner.headers();
    const answer = await call({
      url: request.url,
      ...(request.method && { method: request.method }),
      ...(request.body !== null && { body: request.body }),
      headers: headersOf([...DEFAULT_HEADERS, ...contentTypeOf(mediaType), ...own]),
      signal,
    });
    const secrets = secretsOf(own);
    const content = readServiceAnswer(
      { bytes: answer.bytes, mediaType: mediaTypeOf(answer.headers), isCut: answer.isCut },
      secrets,
    );
    const shown = await showAnswer(files, owner, { name, id }, content);
    if (answer.status < 400) {
      yield shown.packet;
      const text = shown.text === '' ? `[Status ${answer.status}, without content.]` : shown.text;
      return { text, documents: [] };
    }
    const message = `${new URL(operation.baseUrl).hostname} answered ${answer.status}.`;
    yield {
      ...shown.packet,
      error: {
        is_auth_error: answer.status === 401 || answer.status === 403,
        status_code: answer.status,
        message,
      },
    };
    const said = cutText(hideSecrets(shown.text, secrets), MAX_ERROR_CHARACTERS);
    return { text: `The call failed: ${message} ${said}`.trim(), documents: [] };
  }

  async function call(request: Parameters<typeof http.send>[0]): Promise<OutboundResponse> {
    try {
      return await http.send({
        ...request,
        timeoutMs: TIMEOUT_MS,
        maxBytes: MAX_ANSWER_BYTES,
        excess: 'cut',
      });
    } catch (error) {
      if (error instanceof OutboundError) throw new ToolFailed(error.message, { cause: error });
      throw error;
    }
  }

  return {
    id,
    name,
    description: operation.description,
    parameters: operation.schema,
    mergedBy: null,
    isLast: false,
    run,
  };
}

function contentTypeOf(mediaType: string | null): CustomHeader[] {
  return mediaType === null ? [] : [{ key: 'content-type', value: mediaType }];
}

/** Of two with one name the later one holds. */
function headersOf(headers: readonly CustomHeader[]): Record<string, string> {
  return Object.fromEntries(headers.map(({ key, value }) => [key.toLowerCase(), value]));
}

function mediaTypeOf(headers: Headers): string {
  return headers.get('content-type')?.split(';')[0]?.trim().toLowerCase() ?? '';
}
