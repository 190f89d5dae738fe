import { type ShownFailure, type ToolFailed, WrongArguments } from '#src/chat/tools/tool.ts';

/** How a call of a tool that was added is shown when it fails; one that the service has not answered has no status. */
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
