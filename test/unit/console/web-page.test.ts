import { createHash } from 'node:crypto';
import { beforeAll, expect, it } from 'vitest';
import { openWebFiles, type WebFiles } from '#src/console/web-files.ts';
import { renderWebPage } from '#src/console/web-page.ts';

let web: WebFiles;
beforeAll(async () => {
  web = await openWebFiles();
});

it('allows one inline script, the import map, by its hash', () => {
  const { html, headers } = renderWebPage(web);
  const inline = [...html.matchAll(/<script(?![^>]*\bsrc=)[^>]*>([^]*?)<\/script>/g)];
  expect(inline).toHaveLength(1);
  const hash = createHash('sha256')
    .update(inline[0]?.[1] ?? '')
    .digest('base64');
  const policy = headers['Content-Security-Policy'];
  expect(policy).toContain(`script-src 'self' 'sha256-${hash}';`);
  expect(policy).toContain("frame-ancestors 'none'");
  expect(policy).not.toMatch(/unsafe|\*|https?:/);
});

it('serves every address that it names, and nothing from elsewhere', () => {
  const { html } = renderWebPage(web);
  const base = `/console/assets/${web.version}/`;
  const named = [...html.matchAll(/(?:href|src)="([^"]+)"/g)].map(([, address = '']) => address);
  expect(named.length).toBeGreaterThan(20);
  for (const address of named) {
    expect(address.startsWith(base), address).toBe(true);
    expect(web.files.has(address.slice(base.length)), address).toBe(true);
  }
});

it('resolves every import of every module', () => {
  for (const [path, { type, text }] of web.files) {
    if (type !== 'text/javascript') continue;
    for (const [, specifier = ''] of text.matchAll(
      /\b(?:from|import)\s*\(?\s*['"]([^'"\n]+)['"]/g,
    )) {
      expect(resolve(path, specifier), `${path} imports ${specifier}`).toSatisfy((found: string) =>
        web.files.has(found),
      );
    }
  }
});

it('leaves no types in what browsers get', () => {
  for (const [path, { text }] of web.files) {
    if (path.startsWith('web/')) expect(text, path).not.toMatch(/^(?:import|export) type /m);
  }
});

function resolve(path: string, specifier: string): string {
  if (specifier.startsWith('./')) return path.replace(/[^/]+$/, specifier.slice(2));
  const exact = web.imports[specifier];
  if (exact !== undefined) return exact;
  const [prefix = '', folder = ''] =
    Object.entries(web.imports).find(
      ([name]) => name.endsWith('/') && specifier.startsWith(name),
    ) ?? [];
  return prefix === '' ? `unknown ${specifier}` : folder + specifier.slice(prefix.length);
}
