import { normalizeText } from '#src/platform/normalize-text.ts';

/** The decoded segments of a URL's path; null when they cannot be decoded. */
export function urlSegments(path: string): string[] | null {
  try {
    return path
      .split('/')
      .filter(Boolean)
      .map((part) => normalizeText(decodeURIComponent(part), 'NFC'));
  } catch (error) {
    if (error instanceof URIError) return null;
    throw error;
  }
}
