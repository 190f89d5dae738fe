import { createHash } from 'node:crypto';

const STYLE =
  'body{font:1.1rem/1.5 system-ui,sans-serif;max-width:32rem;margin:15vh auto;padding:0 1.5rem;color:#222}button{font:inherit;padding:.6em 1.4em;border:0;border-radius:.4em;background:#1d4ed8;color:#fff;cursor:pointer}';

/** Allows only the page itself with its one inline style, and its form sent back to the same origin. */
const CONTENT_SECURITY_POLICY = `default-src 'none'; style-src 'sha256-${createHash('sha256').update(STYLE).digest('base64')}'; form-action 'self'; base-uri 'none'; frame-ancestors 'none'`;

/** The URL is a credential: no cache, search engine or other site may have it. */
export const UNSUBSCRIBE_PAGE_HEADERS: Readonly<Record<string, string>> = {
  'Content-Security-Policy': CONTENT_SECURITY_POLICY,
  'Cache-Control': 'no-store',
  'Referrer-Policy': 'no-referrer',
  'X-Robots-Tag': 'noindex',
};

/** Asks for confirmation first, because mail scanners open every link. */
export function unsubscribePage(email: string): string {
  return `<!doctype html>
<html lang="en">
<head>
<meta charset="utf-8">
<meta name="viewport" content="width=device-width, initial-scale=1">
<title>Unsubscribe</title>
<style>${STYLE}</style>
</head>
<body>
<main>
<h1>Unsubscribe</h1>
<p>No more messages from this sender to <strong>${escapeHtml(email)}</strong>?</p>
<form method="post">
<button type="submit" name="List-Unsubscribe" value="One-Click">Unsubscribe</button>
</form>
</main>
</body>
</html>
`;
}

function escapeHtml(text: string): string {
  return text
    .replaceAll('&', '&amp;')
    .replaceAll('<', '&lt;')
    .replaceAll('>', '&gt;')
    .replaceAll('"', '&quot;')
    .replaceAll("'", '&#39;');
}
