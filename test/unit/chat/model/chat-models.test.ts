import { describe, expect, it } from 'vitest';

import { type ChatModelConfig, openChatModels } from '#src/chat/model/open-chat-models.ts';
import { parseConfig } from '#src/platform/config.ts';
import { createOperatorFetch } from '#src/platform/http.ts';
import { answersText, startScriptedLlm } from '#test/support/scripted-llm.ts';

const fetch = createOperatorFetch();
const ONE = { LLM_BASE_URL: 'http://127.0.0.1:9/v1', LLM_MODEL: 'small, large' };
const TWO = {
  ...ONE,
  LLM_PROVIDERS: JSON.stringify([
    {
      name: 'Harbour',
      base_url: 'http://127.0.0.1:9/v2',
      api_key: 'k',
      models: ['eye', 'org/deep'],
      context_tokens: 9_000,
      tool_calls: false,
      vision: true,
    },
    { name: 'Quay', base_url: 'http://127.0.0.1:9/v3', models: ['small'] },
  ]),
};

const configOf = (settings: Record<string, string>): ChatModelConfig => parseConfig(settings);
const open = (settings: Record<string, string>) => openChatModels(configOf(settings), fetch);
const label = (model: { provider: string; name: string } | null): string | null =>
  model === null ? null : `${model.provider}/${model.name}`;

describe('the configured models', () => {
  it('are empty without settings, so answers are extractive', () => {
    const models = open({});
    expect(models).toMatchObject({ default: null, vision: null, all: [] });
    expect([...models.named]).toEqual([['extractive', null]]);
    expect(models.choose(null)).toBeNull();
    expect(models.choose({ model_provider: ' ', model_version: '' })).toBeNull();
  });

  it('are those of all providers, the default first, each with its properties', () => {
    const models = open({ ...TWO, LLM_CONTEXT_TOKENS: '32000' });
    expect(models.all.map(label)).toEqual([
      'openai-compatible/small',
      'openai-compatible/large',
      'Harbour/eye',
      'Harbour/org/deep',
      'Quay/small',
    ]);
    expect(label(models.default)).toBe('openai-compatible/small');
    expect(models.default).toMatchObject({
      contextTokens: 32_000,
      callsTools: true,
      readsImages: false,
    });
    expect(models.all[2]).toMatchObject({
      contextTokens: 9_000,
      callsTools: false,
      readsImages: true,
    });
    expect(models.all[4]).toMatchObject({ contextTokens: 32_000, callsTools: true });
    expect(open({ ...ONE, LLM_TOOL_CALLS: 'false' }).default?.callsTools).toBe(false);
  });

  it('are called at the address of their provider, with its key', async () => {
    await using first = await startScriptedLlm(answersText('first'));
    await using second = await startScriptedLlm(answersText('second'));
    const models = open({
      LLM_BASE_URL: first.baseUrl,
      LLM_API_KEY: 'one',
      LLM_MODEL: 'a',
      LLM_PROVIDERS: JSON.stringify([
        { name: 'B', base_url: second.baseUrl, api_key: 'two', models: ['b'] },
      ]),
    });
    const { signal } = new AbortController();
    for (const model of models.all) {
      const parts = model.stream({
        messages: [{ role: 'user', content: 'Hi' }],
        temperature: null,
        signal,
      });
      for await (const part of parts) if (part.type === 'finish') expect(part.reason).toBe('stop');
    }
    const called = [first, second].map(({ calls }) =>
      calls.map(({ body, authorization }) => [body['model'], authorization]),
    );
    expect(called).toEqual([[['a', 'Bearer one']], [['b', 'Bearer two']]]);
  });

  it('are listed once even if named repeatedly', () => {
    expect(open({ ...ONE, LLM_MODEL: 'a,b,a' }).all.map(({ name }) => name)).toEqual(['a', 'b']);
  });
});

describe('the model selected by an override', () => {
  it.each<[provider: string | null, version: string | null, chosen: string]>([
    [null, null, 'openai-compatible/small'],
    ['', '  ', 'openai-compatible/small'],
    [null, 'large', 'openai-compatible/large'],
    ['harbour', null, 'Harbour/eye'],
    ['HARBOUR ', ' org/deep', 'Harbour/org/deep'],
    ['OpenAI-Compatible', '', 'openai-compatible/small'],
    ['Quay', 'small', 'Quay/small'],
  ])('with provider %s and version %s is %s', (model_provider, model_version, chosen) => {
    expect(label(open(TWO).choose({ model_provider, model_version }))).toBe(chosen);
  });

  it.each<[provider: string | null, version: string | null, message: string]>([
    [
      'Pier',
      null,
      'llm_override.model_provider: there is no provider "Pier". Configured are "openai-compatible", "Harbour", "Quay".',
    ],
    [
      null,
      'eye',
      'llm_override.model_version: the provider "openai-compatible" has no model "eye". It has "small", "large".',
    ],
    [
      'harbour',
      'large',
      'llm_override.model_version: the provider "Harbour" has no model "large". It has "eye", "org/deep".',
    ],
    [
      null,
      'SMALL',
      'llm_override.model_version: the provider "openai-compatible" has no model "SMALL". It has "small", "large".',
    ],
  ])(
    'with provider %s and version %s is refused, naming the alternatives',
    (model_provider, model_version, message) => {
      expect(() => open(TWO).choose({ model_provider, model_version })).toThrow(
        expect.objectContaining({ code: 'BAD_REQUEST', message }) as Error,
      );
    },
  );

  it('is refused when no model is configured, and the message stays short for a long name', () => {
    expect(() => open({}).choose({ model_version: 'gpt' })).toThrow(
      /^llm_override\.model_version: no language model is configured here/,
    );
    expect(() => open(ONE).choose({ model_provider: 'x'.repeat(10_000) })).toThrow(/^.{1,250}$/);
  });
});

describe('the vision model', () => {
  it.each<[name: string, settings: Record<string, string>, seen: string | null]>([
    ['none', ONE, null],
    ['one that its provider marks', TWO, 'Harbour/eye'],
    ['one of the list', { ...ONE, LLM_VISION_MODEL: 'large' }, 'openai-compatible/large'],
    [
      'one outside the list',
      { ...ONE, LLM_VISION_MODEL: 'org/iris' },
      'openai-compatible/org/iris',
    ],
    ['one of another provider', { ...TWO, LLM_VISION_MODEL: 'quay/small' }, 'Quay/small'],
    [
      'one outside the list of another provider',
      { ...TWO, LLM_VISION_MODEL: 'Quay/iris' },
      'Quay/iris',
    ],
    [
      'a model whose name looks like a provider',
      { ...TWO, LLM_MODEL: 'small,harbour/eye', LLM_VISION_MODEL: 'harbour/eye' },
      'openai-compatible/harbour/eye',
    ],
  ])('is %s', (_name, settings, seen) => {
    const { vision, all } = open(settings);
    expect(label(vision)).toBe(seen);
    expect(vision?.readsImages ?? true).toBe(true);
    const listed = all.find((model) => label(model) === seen);
    if (listed) expect(listed).toBe(vision);
  });

  it('does not make models of the same name read images', () => {
    const models = open({ ...TWO, LLM_VISION_MODEL: 'quay/small' });
    expect(models.default?.readsImages).toBe(false);
    expect(models.all.map(label)).not.toContain('Quay/iris');
  });
});

describe('the identifiers of the reference family', () => {
  it.each<[entries: string | null, named: [string, string | null][]]>([
    [
      null,
      [
        ['small', 'openai-compatible/small'],
        ['large', 'openai-compatible/large'],
        ['eye', 'Harbour/eye'],
      ],
    ],
    [
      'fast=quay/small, large, deep = org/deep',
      [
        ['fast', 'Quay/small'],
        ['large', 'openai-compatible/large'],
        ['deep', 'Harbour/org/deep'],
      ],
    ],
    ['Harbour/eye', [['Harbour/eye', 'Harbour/eye']]],
  ])('follow from CHAT_MODELS=%s', (entries, named) => {
    const models = open(entries === null ? TWO : { ...TWO, CHAT_MODELS: entries });
    expect([...models.named].map(([name, model]) => [name, label(model)])).toEqual(named);
  });

  it('stay distinct when two providers have a model of the same name', () => {
    const models = open({ ...TWO, LLM_MODEL: 'small', LLM_PROVIDERS: TWO.LLM_PROVIDERS });
    const twin = open({
      ...ONE,
      LLM_MODEL: 'small',
      LLM_PROVIDERS: JSON.stringify([
        { name: 'Q', base_url: 'http://q.example', models: ['small'] },
      ]),
    });
    expect([...models.named.keys()]).toEqual(['small', 'eye', 'org/deep']);
    expect([...twin.named.keys()]).toEqual(['small', 'Q/small']);
  });

  it('may be any names without a model, all of which answer extractively', () => {
    const { named } = open({ CHAT_MODELS: 'basic,better' });
    expect([...named]).toEqual([
      ['basic', null],
      ['better', null],
    ]);
  });
});

describe('invalid model settings', () => {
  it.each<[settings: Record<string, string>, sentence: RegExp]>([
    [{ ...TWO, CHAT_MODELS: 'fast' }, /^CHAT_MODELS: "fast" is no model that is configured \(/],
    [{ ...TWO, CHAT_MODELS: 'fast=quay/none' }, /^CHAT_MODELS: "fast=quay\/none" is no model/],
    [{ ...TWO, CHAT_MODELS: '=small' }, /^CHAT_MODELS: "=small" is no model/],
    [{ ...TWO, CHAT_MODELS: 'a=small,a=large' }, /^CHAT_MODELS names "a" twice/],
    [{ CHAT_MODELS: 'fast=a/b' }, /^CHAT_MODELS: "fast=a\/b" .*set LLM_BASE_URL and LLM_MODEL/],
    [{ LLM_VISION_MODEL: 'iris' }, /^LLM_VISION_MODEL needs LLM_BASE_URL and LLM_MODEL/],
    [{ ...ONE, LLM_API_KEY: 'a\nb' }, /^LLM_API_KEY holds characters/],
    [
      {
        ...ONE,
        LLM_PROVIDERS: '[{"name":"Q","base_url":"http://q.example","models":["m"],"api_key":"é"}]',
      },
      /^LLM_PROVIDERS: the api_key of "Q" holds characters/,
    ],
    [
      { ...ONE, CHAT_MODELS: 'a=small,b=small,c=small,d=small' },
      /^CHAT_MODELS names more than three/,
    ],
  ])('prevent the start: %j', (settings, sentence) => {
    expect(() => open(settings)).toThrow(
      expect.objectContaining({
        name: 'ConfigError',
        message: expect.stringMatching(sentence) as string,
      }) as Error,
    );
  });
});
