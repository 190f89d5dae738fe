/** A page after its scripts have run. */
export interface RenderedPage {
  status: number;
  /** After redirects. */
  url: string;
  html: string;
}

export interface RenderOptions {
  scroll: boolean;
  signal: AbortSignal;
}

/** Chromium, if installed: for pages that are empty without JavaScript. */
export interface PageRenderer {
  /**
   * Every request of the page goes through the guarded HTTP client.
   * @param options `owner`: the owner of the page, such as a workspace; owners take turns
   * @throws SourceUnavailable
   */
  readonly render: (
    url: string,
    options: RenderOptions & { owner: string },
  ) => Promise<RenderedPage>;
}

/**
 * A renderer for the pages of one owner. A property instead of a method, because method types are bivariant: a
 * `PageRenderer` would be accepted here, and its calls without an owner would wait forever.
 */
export interface OwnRenderer {
  readonly render: (url: string, options: RenderOptions) => Promise<RenderedPage>;
}
