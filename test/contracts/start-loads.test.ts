import { execFile } from 'node:child_process';
import { resolve } from 'node:path';
import { promisify } from 'node:util';
import { expect, it } from 'vitest';

const ROOT = resolve(import.meta.dirname, '../..');

/** Loads what a start loads, opens tracing with these settings, and prints the packages of which a module was loaded. */
const SCRIPT = `
  import { registerHooks } from 'node:module';
  const loaded = new Set();
  registerHooks({
    load(url, context, next) {
      const name = /\\/node_modules\\/((?:@[^/]+\\/)?[^/]+)\\/(?!.*\\/node_modules\\/)/.exec(url)?.[1];
      if (name !== undefined) loaded.add(name);
      return next(url, context);
    },
  });
  await import('#src/start-millrace.ts');
  const { openTracing } = await import('#src/platform/tracing.ts');
  const { parseConfig } = await import('#src/platform/config.ts');
  const tracing = await openTracing(parseConfig(process.env), { log: null, version: '1' });
  process.stdout.write(JSON.stringify([tracing.isOn, [...loaded]]));
  process.exit(0);
`;

async function packagesOf(settings: Record<string, string>): Promise<[boolean, string[]]> {
  const { stdout } = await promisify(execFile)(
    process.execPath,
    ['--input-type=module', '--eval', SCRIPT],
    {
      cwd: ROOT,
      env: {
        PATH: process.env['PATH'],
        NODE_COMPILE_CACHE: process.env['NODE_COMPILE_CACHE'],
        ...settings,
      },
    },
  );
  return JSON.parse(stdout) as [boolean, string[]]; // written by the script
}

it('loads nothing of the SDK for traces unless there is somewhere to send traces', async () => {
  const [isOn, packages] = await packagesOf({});
  expect(isOn).toBe(false);
  // The API package comes with the sign-in library, and does nothing by itself.
  const ofTelemetry = packages.filter((name) => name.startsWith('@opentelemetry/'));
  expect(ofTelemetry.filter((name) => name !== '@opentelemetry/api')).toEqual([]);
  const [isOnThen, loaded] = await packagesOf({
    OTEL_EXPORTER_OTLP_ENDPOINT: 'http://127.0.0.1:9',
  });
  expect(isOnThen).toBe(true);
  expect(loaded).toContain('@opentelemetry/sdk-trace');
});

it('loads no package that only some deployments use', async () => {
  const [, packages] = await packagesOf({});
  // Otherwise the list below would be checked against nothing.
  expect(packages).toContain('kysely');
  const rare =
    /^(?:stripe|feedsmith|imapflow|jose|pyodide|playwright-core|pdfjs-dist|@modelcontextprotocol\/|@huggingface\/)/;
  expect(packages.filter((name) => rare.test(name))).toEqual([]);
});
