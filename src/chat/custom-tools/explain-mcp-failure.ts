import { StreamableHTTPError } from '@modelcontextprotocol/sdk/client/streamableHttp.js';
import { ErrorCode, McpError } from '@modelcontextprotocol/sdk/types.js';
import { OutboundError } from '#src/platform/outbound.ts';
import { cutText } from './json-object.ts';
import { McpFailed } from './mcp-failed.ts';
import { hideSecrets } from './service-answer.ts';

const MAX_REASON_CHARACTERS = 500;

/** Explains a failed exchange. The message names the host and never a header. */
export function explainMcpFailure(
  error: unknown,
  host: string,
  secrets: readonly string[],
): McpFailed {
  if (error instanceof McpFailed) return error;
  if (error instanceof OutboundError) {
    return new McpFailed(error.message, { cause: error, isRefused: error.kind === 'refused' });
  }
  if (error instanceof StreamableHTTPError) return explainStatus(error, host);
  if (error instanceof McpError) {
    if (error.code === Number(ErrorCode.RequestTimeout)) {
      return new McpFailed(`${host} did not answer in time.`, { cause: error });
    }
    const reason = cutText(hideSecrets(error.message, secrets), MAX_REASON_CHARACTERS);
    return new McpFailed(`${host} reported an error: ${reason}`, { cause: error });
  }
  return new McpFailed(`${host} answered with something that is not MCP.`, { cause: error });
}

function explainStatus(error: StreamableHTTPError, host: string): McpFailed {
  const status = error.code ?? -1;
  if (status < 0) {
    return new McpFailed(`${host} answered with something that is not MCP.`, { cause: error });
  }
  if (status < 400) {
    const sentence = `${host} sends its callers to another address (${status}), which is not followed. Use that address.`;
    return new McpFailed(sentence, { cause: error });
  }
  const advice = status === 401 || status === 403 ? ' Check the headers.' : '';
  return new McpFailed(`${host} answered ${status}.${advice}`, { cause: error, status });
}
