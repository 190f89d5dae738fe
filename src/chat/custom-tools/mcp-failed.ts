/**
 * An MCP server could not be used. The message names its host and the reason; `status` is what it answered, when that
 * was the reason.
 */
export class McpFailed extends Error {
  override readonly name = 'McpFailed';
  readonly status: number | null;
  /** The address itself may not be called. */
  readonly isRefused: boolean;

  constructor(message: string, options: { cause: unknown; status?: number; isRefused?: boolean }) {
    super(message, { cause: options.cause });
    this.status = options.status ?? null;
    this.isRefused = options.isRefused ?? false;
  }
}
