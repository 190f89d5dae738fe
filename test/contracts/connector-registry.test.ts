import { describe, expect, it } from 'vitest';
import { z } from 'zod';
import { CONNECTORS, findConnector, sourcesOf } from '#src/connectors/kinds/registry.ts';
import {
  validateCredential,
  validateSettings,
} from '#src/connectors/administration/validate-config.ts';
import { hasFixture, loadContractKinds } from '#test/support/connector-contract.ts';

const kinds = await loadContractKinds();

describe('the connector registry', () => {
  it('has each name once, including aliases and variants', () => {
    const names = CONNECTORS.flatMap(sourcesOf);
    expect(names.toSorted()).toEqual([...new Set(names)].toSorted());
    for (const name of names) expect(name).toMatch(/^[a-z][a-z0-9]*(_[a-z0-9]+)*$/);
  });

  it('has each title and summary once', () => {
    expect(new Set(CONNECTORS.map(({ title }) => title)).size).toBe(CONNECTORS.length);
    expect(new Set(CONNECTORS.map(({ summary }) => summary)).size).toBe(CONNECTORS.length);
  });

  it.each(CONNECTORS)('finds $kind by any of its names, regardless of case', (connector) => {
    for (const name of sourcesOf(connector)) {
      expect(findConnector(name)).toBe(connector);
      expect(findConnector(name.toUpperCase())).toBe(connector);
    }
  });

  it.each(CONNECTORS)('has a fixture for $kind in test/fixtures/connectors', ({ kind }) => {
    expect(hasFixture(kind)).toBe(true);
  });

  it.each(CONNECTORS)('has an introduction for $kind', ({ title, summary }) => {
    expect(title.trim()).not.toBe('');
    expect(summary).toMatch(/^[A-Z].*\.$/);
  });

  it.each(CONNECTORS)('declares sane limits for $kind', ({ limits, defaultRefreshSeconds }) => {
    expect(limits.concurrentRequests).toBeGreaterThanOrEqual(1);
    expect(limits.concurrentRequests).toBeLessThanOrEqual(16);
    expect(limits.documentsPerPage).toBeGreaterThanOrEqual(1);
    // A page is held in memory and fetched again after a crash.
    expect(limits.documentsPerPage).toBeLessThanOrEqual(500);
    if (limits.requestsPerSecond !== null) {
      expect(limits.requestsPerSecond).toBeGreaterThan(0);
      expect(limits.requestsPerSecond).toBeLessThanOrEqual(100);
    }
    expect(defaultRefreshSeconds).toBeGreaterThanOrEqual(60);
  });

  it.each(CONNECTORS)('describes every setting of $kind as JSON Schema', (connector) => {
    for (const schema of [connector.settings, connector.credential]) {
      const json = z.toJSONSchema(schema, { io: 'input', unrepresentable: 'any' });
      const objects = objectsOf(json);
      expect(objects.length).toBeGreaterThan(0);
      for (const { properties = {}, additionalProperties } of objects) {
        expect(additionalProperties).toBe(false);
        for (const [name, property] of Object.entries(properties)) {
          expect(descriptionOf(property), name).not.toBe('');
        }
      }
    }
  });

  it.each(CONNECTORS)('marks the secrets of $kind, so that forms hide them', ({ credential }) => {
    const json = z.toJSONSchema(credential, { io: 'input', unrepresentable: 'any' });
    for (const [name, property] of Object.entries(json.properties ?? {})) {
      const isSecret = /token|password|secret|account_key/.test(name);
      expect(typeof property === 'object' && property.writeOnly === true, name).toBe(isSecret);
    }
  });
});

describe.each(kinds)('configuration of $kind', ({ start }) => {
  it('is accepted as written in the fixture', async () => {
    await using source = await start();
    const { connector, fixture } = source;
    validateSettings(connector, fixture.settings);
    validateCredential(connector, fixture.credential);
  });

  it('is refused with an unknown key, naming the key', async () => {
    await using source = await start();
    const { connector, fixture } = source;
    const settings = { ...fixture.settings, no_such_setting: 1 };
    expect(() => validateSettings(connector, settings)).toThrow(/no_such_setting/);
    const credential = { ...fixture.credential, no_such_secret: 'x' };
    expect(() => validateCredential(connector, credential)).toThrow(/no_such_secret/);
  });

  it('is refused with a value of the wrong type, naming the key', async () => {
    await using source = await start();
    const { connector, fixture } = source;
    for (const name of Object.keys(fixture.settings)) {
      const settings = { ...fixture.settings, [name]: { no: 'such value' } };
      expect(() => validateSettings(connector, settings)).toThrow(new RegExp(name));
    }
    for (const name of Object.keys(fixture.credential)) {
      const credential = { ...fixture.credential, [name]: { no: 'such value' } };
      expect(() => validateCredential(connector, credential)).toThrow(new RegExp(name));
    }
  });
});

type JsonSchema = z.core.JSONSchema.BaseSchema;

/** The schema itself, or the alternatives of its union. */
function objectsOf(schema: JsonSchema): JsonSchema[] {
  const choices = [...(schema.anyOf ?? []), ...(schema.oneOf ?? []), ...(schema.allOf ?? [])];
  return schema.type === 'object' ? [schema] : choices.flatMap(objectsOf);
}

function descriptionOf(property: JsonSchema | boolean): string {
  return typeof property === 'object' ? (property.description ?? '').trim() : '';
}
