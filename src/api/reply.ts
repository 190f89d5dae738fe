import type { StaticContent } from './static-content.ts';

/** A list is a header that is sent several times, such as `Set-Cookie`. */
export type ReplyHeaders = Readonly<Record<string, string | string[]>>;

/** A JSON reply with a status other than 200, or with headers. */
export class JsonReply<Body> {
  readonly body: Body;
  readonly status: number;
  readonly headers: ReplyHeaders;

  constructor(body: Body, status: number, headers: ReplyHeaders) {
    this.body = body;
    this.status = status;
    this.headers = headers;
  }
}

/** A reply that is not JSON: text, a page, an asset. */
export class ContentReply {
  readonly contentType: string;
  readonly content: string | Buffer;
  readonly headers: Readonly<Record<string, string>>;

  constructor(
    contentType: string,
    content: string | Buffer,
    headers: Readonly<Record<string, string>>,
  ) {
    this.contentType = contentType;
    this.content = content;
    this.headers = headers;
  }
}

/** Content that is the same for all callers: compressed, tagged and cached by `sendStatic`. */
export class StaticReply {
  readonly content: StaticContent;
  readonly headers: Readonly<Record<string, string>>;

  constructor(content: StaticContent, headers: Readonly<Record<string, string>>) {
    this.content = content;
    this.headers = headers;
  }
}

export function withStatus<Body>(
  status: number,
  body: Body,
  headers: ReplyHeaders = {},
): JsonReply<Body> {
  return new JsonReply(body, status, headers);
}

/** The 202 of a route with a `laterReply`: says where to ask for the progress. */
export function laterReply<Body extends { status_url: string }>(
  body: Body,
  headers: Record<string, string> = {},
): JsonReply<never> {
  // The reply does not match the route's own schema; the route's `laterReply` describes it.
  return new JsonReply<unknown>(body, 202, {
    Location: body.status_url,
    ...headers,
  }) as JsonReply<never>;
}

export function contentReply(
  contentType: string,
  content: string | Buffer,
  headers: Record<string, string> = {},
): ContentReply {
  return new ContentReply(contentType, content, headers);
}
