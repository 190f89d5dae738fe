import type { ExtractedPage } from '#src/leads/extract/extracted-page.ts';

/** Merges a frame into its page, as visitors see it: the frame's statements count as the page's, after its own. */
export function joinFrame(page: ExtractedPage, frame: ExtractedPage): ExtractedPage {
  const signedBy = page.signedBy ?? frame.signedBy;
  return {
    ...page,
    title: page.title || frame.title,
    siteName: page.siteName || frame.siteName,
    language: page.language || frame.language,
    ...(signedBy !== undefined && { signedBy }),
    // Offsets in another document cannot be compared with offsets in this one.
    cards: [...page.cards, ...frame.cards.map((card) => ({ ...card, offset: null }))],
  };
}
