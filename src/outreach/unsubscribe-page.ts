/** Nothing but the page itself, and its form sent to where it came from. */
const CONTENT_SECURITY_POLICY =
  "default-src 'none'; form-action 'self'; base-uri 'none'; frame-ancestors 'none'";

/** The address of the page is a key: no cache, search engine or other site is to have it. */
export const UNSUBSCRIBE_PAGE_HEADERS: Readonly<Record<string, string>> = {
  'Content-Security-Policy': CONTENT_SECURITY_POLICY,
  'Cache-Control': 'no-store',
  'Referrer-Policy': 'no-referrer',
  'X-Robots-Tag': 'noindex',
};

/** Asks once more before anything happens: mail scanners open every link. */
export function unsubscribePage(email: string): string {
  return `<!doctype html>
<html lang="en">
<head>
<meta charset="utf-8">
<meta name="viewport" content="width=device-width, initial-scale=1">
<title>Unsubscribe</title>
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
