/** A page after its scripts have run. */
export interface RenderedPage {
  status: number;
  /** After redirects. */
  url: string;
  html: string;
}

/** Chromium, if installed: for pages that are empty without JavaScript. */
export interface PageRenderer {
  /** Every request of the page goes through the guarded HTTP client. @throws SourceUnavailable */
  render(url: string, options: { scroll: boolean; signal: AbortSignal }): Promise<RenderedPage>;
}
