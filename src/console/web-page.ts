import { createHash } from 'node:crypto';
import type { WebFiles } from './web-files.ts';

export const CONSOLE_PATH = '/console';
export const CONSOLE_ASSETS = `${CONSOLE_PATH}/assets/`;

/** Imported by every page, so that the browser need not find them one after the other. */
const PRELOADED = [/^web\/(?:[\w-]+\.ts$|data\/|parts\/)/, /^packages\/(?:preact|@preact|htm)\//];
/** Only types, and what only some pages load. */
const LATE = /^web\/(?:data\/(?:api-types|answer)|parts\/(?:chart|markdown|schema-fields))\.ts$/;

/** The one page of the console: which view it shows, its script decides by the address. */
export interface WebPage {
  readonly html: string;
  readonly headers: Readonly<Record<string, string>>;
}

export function renderWebPage(web: WebFiles): WebPage {
  const base = `${CONSOLE_ASSETS}${web.version}/`;
  const importMap = JSON.stringify({
    imports: Object.fromEntries(
      Object.entries(web.imports).map(([name, path]) => [name, base + path]),
    ),
  });
  const paths = [...web.files.keys()];
  const styles = paths.filter((path) => path.endsWith('.css'));
  const modules = paths.filter(
    (path) => PRELOADED.some((rule) => rule.test(path)) && !LATE.test(path),
  );
  const html = `<!doctype html>
<html lang="en">
  <head>
    <meta charset="utf-8">
    <meta name="viewport" content="width=device-width, initial-scale=1">
    <meta name="color-scheme" content="light dark">
    <title>Millrace</title>
    <link rel="icon" type="image/svg+xml" href="${base}web/style/icon.svg">
${styles.map((path) => `    <link rel="stylesheet" href="${base}${path}">\n`).join('')}\
    <script type="importmap">${importMap}</script>
${modules.map((path) => `    <link rel="modulepreload" href="${base}${path}">\n`).join('')}\
    <script type="module" src="${base}web/app.ts"></script>
  </head>
  <body>
    <div id="app"></div>
    <noscript>This console needs JavaScript. The API works without it: see /docs.</noscript>
  </body>
</html>
`;
  return { html, headers: { 'Content-Security-Policy': policyFor(importMap), ...HEADERS } };
}

const HEADERS: Readonly<Record<string, string>> = {
  'X-Content-Type-Options': 'nosniff',
  'X-Frame-Options': 'DENY',
  // Links of invitations carry a token.
  'Referrer-Policy': 'no-referrer',
  'Cross-Origin-Opener-Policy': 'same-origin',
  'Permissions-Policy': 'camera=(), geolocation=(), microphone=(), payment=()',
};

/** Nothing but our own files, and of inline scripts only this import map. */
function policyFor(importMap: string): string {
  const hash = createHash('sha256').update(importMap).digest('base64');
  return [
    "default-src 'none'",
    `script-src 'self' 'sha256-${hash}'`,
    "style-src 'self'",
    "img-src 'self' data:",
    "connect-src 'self'",
    "base-uri 'none'",
    "form-action 'none'",
    "frame-ancestors 'none'",
    "require-trusted-types-for 'script'",
    "trusted-types 'none'",
  ].join('; ');
}
