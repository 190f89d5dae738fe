/**
 * An MCP server could not be used. The message names its host and the reason; `status` is the HTTP status if that was
 * the reason.
 */
export class McpFailed extends Error {
  override readonly name = 'McpFailed';
  readonly status: number | null;
  /** The URL itself may not be called. */
  readonly isRefused: boolean;

  constructor(message: string, options: { cause: unknown; status?: number; isRefused?: boolean }) {
    super(message, { cause: options.cause });
    this.status = options.status ?? null;
    this.isRefused = options.isRefused ?? false;
  }
}
