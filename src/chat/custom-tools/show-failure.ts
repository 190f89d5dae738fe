import { type ShownFailure, type ToolFailed, WrongArguments } from '#src/chat/tools/tool.ts';

/** How a failed call of a custom tool is shown; it has no status if the service did not answer. */
export function showCustomFailure(
  tool: { name: string; id: number },
  failure: ToolFailed,
): ShownFailure {
  const named = { tool_name: tool.name, tool_id: tool.id };
  return {
    start: { type: 'custom_tool_start', ...named },
    error: {
      type: 'custom_tool_delta',
      ...named,
      response_type: 'json',
      data: failure.message,
      file_ids: null,
      error: {
        is_auth_error: false,
        status_code: failure instanceof WrongArguments ? 400 : 0,
        message: failure.message,
      },
    },
  };
}
