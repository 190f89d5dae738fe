import { existsSync, readdirSync, readFileSync } from 'node:fs';
import { dirname, resolve } from 'node:path';
import { describe, expect, test } from 'vitest';
import { z } from 'zod';
import { connectorRequestSchema } from '#src/connectors/administration/connector-request.ts';
import type { AnyConnector } from '#src/connectors/source/connector.ts';
import { CONNECTORS, findConnector, sourcesOf } from '#src/connectors/kinds/registry.ts';
import {
  validateCredential,
  validateSettings,
} from '#src/connectors/administration/validate-config.ts';

const ROOT = resolve(import.meta.dirname, '../../..');
const OVERVIEW = 'docs/connectors.md';
/** The sections of every connector page, in this order. */
const SECTIONS = ['Credential', 'Settings', 'Set it up', 'Runs', 'Deletions', 'Limits'];

const pageOf = ({ kind }: AnyConnector): string => `docs/connectors/${kind}.md`;

describe.each(CONNECTORS)('the page of $kind', (connector) => {
  const path = pageOf(connector);
  const page = existsSync(resolve(ROOT, path)) ? read(path) : '';

  test('exists and is linked from the overview', () => {
    expect(page).toMatch(/^# \S/);
    expect(read(OVERVIEW)).toContain(`(connectors/${connector.kind}.md)`);
  });

  test('names every source type of the connector', () => {
    for (const source of sourcesOf(connector)) expect(page).toContain(`\`${source}\``);
  });

  test('names every key of the settings and of the credential', () => {
    const keys = [...fieldsOf(connector.settings).keys(), ...fieldsOf(connector.credential).keys()];
    expect(keys.filter((key) => !page.includes(`\`${key}\``))).toEqual([]);
  });

  test('has a table of settings without unknown keys and with the right defaults', () => {
    const fields = fieldsOf(connector.settings);
    const rows = tableRows(sectionOf(page, 'Settings')).flatMap((cells) => {
      const key = /^`(\w+)`$/.exec(cells[0] ?? '')?.[1];
      return key === undefined ? [] : [{ key, shown: (cells[1] ?? '').replaceAll('`', '') }];
    });
    expect(rows.length).toBeGreaterThan(0);
    const unknown = rows.filter(({ key }) => !fields.has(key));
    const wrong = rows.filter(({ key, shown }) => {
      const field = fields.get(key);
      if (field?.isRequired === true) return shown !== 'required';
      return field?.usual !== undefined && shown !== plain(field.usual);
    });
    expect({ unknown, wrong }).toEqual({ unknown: [], wrong: [] });
  });

  test('has the standard sections in order', () => {
    const headings = [...page.matchAll(/^## (.+)$/gm)].map(([, heading]) => heading ?? '');
    expect(headings.filter((heading) => SECTIONS.includes(heading))).toEqual(SECTIONS);
  });

  test('has an example', () => {
    expect(sectionOf(page, 'Set it up')).toMatch(/connector_specific_config/);
  });
});

const PAGES = [
  'README.md',
  OVERVIEW,
  ...readdirSync(resolve(ROOT, 'docs/connectors')).map((name) => `docs/connectors/${name}`),
];

test.each(PAGES)('the requests in %s are accepted', (path) => {
  for (const body of bodiesOf(read(path))) {
    if ('connector_specific_config' in body) {
      const { source, connector_specific_config } = connectorRequestSchema.parse(body);
      validateSettings(kindOf(source), connector_specific_config);
    }
    if ('credential_json' in body && 'source' in body) {
      const { source, credential_json } = credentialBody.parse(body);
      validateCredential(kindOf(source), credential_json);
    }
  }
});

test.each(PAGES)('the links in %s point to existing files', (path) => {
  const targets = [...read(path).matchAll(/\]\((?!https?:|#)([^)#\s]+)[^)]*\)/g)];
  const missing = targets
    .map(([, target]) => target ?? '')
    .filter((target) => !existsSync(resolve(ROOT, dirname(path), target)));
  expect(missing).toEqual([]);
});

const credentialBody = z.object({
  source: z.string(),
  credential_json: z.record(z.string(), z.unknown()),
});

function kindOf(source: string): AnyConnector {
  const connector = findConnector(source);
  if (!connector) throw new Error(`There is no connector for ${source}.`);
  return connector;
}

function read(path: string): string {
  return readFileSync(resolve(ROOT, path), 'utf8');
}

const jsonSchema = z.object({
  properties: z.record(z.string(), z.object({ default: z.unknown().optional() })).default({}),
  required: z.array(z.string()).default([]),
  get anyOf() {
    return z.array(jsonSchema).default([]);
  },
});
type JsonSchema = z.output<typeof jsonSchema>;

interface Field {
  isRequired: boolean;
  /** Undefined when there is no default. */
  usual: unknown;
}

/** The keys of an object schema, including those of its alternatives. */
function fieldsOf(schema: z.ZodType): Map<string, Field> {
  const json = z.toJSONSchema(schema, { io: 'input', unrepresentable: 'any' });
  return new Map(collectFields(jsonSchema.parse(json)));
}

function collectFields({ properties, required, anyOf }: JsonSchema): [string, Field][] {
  const own = Object.entries(properties).map(([key, property]): [string, Field] => [
    key,
    { isRequired: required.includes(key), usual: property.default },
  ]);
  return [...own, ...anyOf.flatMap(collectFields)];
}

/** A value as shown in a table: text without quotes. */
function plain(value: unknown): string {
  return typeof value === 'string' && value !== '' ? value : JSON.stringify(value);
}

/** The text between a heading and the next one of the same level. */
function sectionOf(page: string, heading: string): string {
  return page.split(/^## /m).find((part) => part.startsWith(`${heading}\n`)) ?? '';
}

function tableRows(text: string): string[][] {
  return [...text.matchAll(/^\|(.+)\|$/gm)].map(([, row = '']) =>
    row.split('|').map((cell) => cell.trim()),
  );
}

/** The JSON that the examples send with `-d '…'`, except what jq assembles. */
function bodiesOf(page: string): Record<string, unknown>[] {
  return [...page.matchAll(/ -d '(\{[^']*\})'/g)].map(([, text = '']) =>
    z.record(z.string(), z.unknown()).parse(JSON.parse(text)),
  );
}
