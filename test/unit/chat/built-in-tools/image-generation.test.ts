import { afterAll, beforeAll, beforeEach, describe, expect, it } from 'vitest';

import { ToolFailed } from '#src/chat/tools/tool.ts';
import {
  type FakeImages,
  imageAnswer,
  type ImageScript,
  PNG,
} from '#test/support/fake-images-endpoint.ts';
import { IMAGE_KEY, type ImageStage, startImageStage } from '#test/support/image-stage.ts';
import { failureOfTool, runTool } from '#test/support/run-tool.ts';
import { startTripwire } from '#test/support/tripwire.ts';

let stage: ImageStage;
let images: FakeImages;
beforeAll(async () => {
  stage = await startImageStage();
  images = stage.images;
});
afterAll(() => stage[Symbol.asyncDispose]());
beforeEach(() => {
  stage.saved.length = 0;
  images.orders.length = 0;
});

const toolWith: ImageStage['toolWith'] = (...args) => stage.toolWith(...args);
const draw = (...script: ImageScript[]) => {
  images.script = script;
  return runTool(toolWith(), { prompt: 'A red kite.' });
};

describe('image generation', () => {
  it('is not offered without an image model', () => {
    expect(toolWith({ IMAGE_MODEL: '' })).toBeNull();
  });

  it('sends the key of the language model only to its own address', async () => {
    images.script = [imageAnswer()];
    const llm = { LLM_BASE_URL: images.url, LLM_MODEL: 'm', LLM_API_KEY: 'sk-llm-key' };
    await runTool(toolWith({ ...llm, IMAGE_API_KEY: '' }), { prompt: 'x' });
    await runTool(toolWith({ ...llm, IMAGE_API_KEY: '', IMAGE_BASE_URL: '' }), { prompt: 'x' });
    await runTool(toolWith({ ...llm, IMAGE_BASE_URL: '' }), { prompt: 'x' });
    expect(images.orders.map(({ authorization }) => authorization)).toEqual([
      undefined,
      'Bearer sk-llm-key',
      `Bearer ${IMAGE_KEY}`,
    ]);
  });

  it.each([
    ['no prompt', {}, /^The arguments are wrong\. [^]*prompt/],
    ['an unknown shape', { prompt: 'x', shape: 'round' }, /^The arguments are wrong\. [^]*shape/],
    ['a blank prompt', { prompt: ' \n' }, /^prompt is empty\. /],
  ])('refuses %s without calling the model', async (_, input, reason) => {
    const failure = await failureOfTool(toolWith(), input);
    expect(failure.cause).toBeInstanceOf(ToolFailed);
    expect(failure.message).toMatch(reason);
    expect(images.orders).toEqual([]);
  });
});

describe('an image', () => {
  it('is stored under its real type and shown with its address', async () => {
    const { packets, result } = await draw(
      imageAnswer({ revised_prompt: 'A red kite in the sky.' }),
    );
    const image = {
      file_id: 'file-1',
      url: '/api/chat/file/file-1',
      revised_prompt: 'A red kite in the sky.',
      shape: 'square',
    };
    expect(packets).toEqual([
      { type: 'image_generation_start' },
      { type: 'image_generation_heartbeat' },
      { type: 'image_generation_final', images: [image] },
    ]);
    expect(result).toMatchObject({ documents: [], images: [image] });
    expect(stage.saved).toEqual([
      {
        file: {
          workspaceId: 'w',
          createdBy: 'u',
          name: 'generated-image.png',
          mediaType: 'image/png',
        },
        bytes: PNG,
      },
    ]);
    expect(images.orders).toEqual([
      {
        path: '/v1/images/generations',
        authorization: `Bearer ${IMAGE_KEY}`,
        body: {
          model: 'painter-1',
          prompt: 'A red kite.',
          size: '1024x1024',
          n: 1,
          response_format: 'b64_json',
        },
      },
    ]);
    expect(toolWith()?.isLast).toBe(true);
  });

  it.each([
    ['painter-1', 'portrait', '1024x1536'],
    ['painter-1', 'landscape', '1536x1024'],
    ['dall-e-3', 'portrait', '1024x1792'],
    ['dall-e-3', 'landscape', '1792x1024'],
  ])('from %s as %s has size %s', async (IMAGE_MODEL, shape, size) => {
    images.script = [imageAnswer()];
    const { result } = await runTool(toolWith({ IMAGE_MODEL }), { prompt: 'x', shape });
    expect(images.orders[0]?.body).toMatchObject({ size });
    expect(result.images).toMatchObject([{ shape, revised_prompt: 'x' }]);
  });

  it('is requested again without response_format when the model rejects it', async () => {
    const error = { message: "Unknown parameter: 'response_format'." };
    await draw({ status: 400, json: { error } }, imageAnswer());
    expect(images.orders.map(({ body }) => 'response_format' in body)).toEqual([true, false]);
    images.orders.length = 0;
    images.script = [imageAnswer()];
    await runTool(toolWith({ IMAGE_MODEL: 'gpt-image-1' }), { prompt: 'x' });
    expect(images.orders.map(({ body }) => 'response_format' in body)).toEqual([false]);
  });

  it('sends a heartbeat at once and repeatedly while it is generated', async () => {
    const release = Promise.withResolvers<void>();
    images.script = [
      async (response) => {
        await release.promise;
        response.end(JSON.stringify({ data: [{ b64_json: PNG.toString('base64') }] }));
      },
    ];
    const run = toolWith({}, { heartbeatMs: 2 })?.run(
      { prompt: 'x' },
      {
        numbers: { numberOf: () => 1 },
        question: '',
        signal: new AbortController().signal,
      },
    );
    const types: string[] = [];
    for (let step = await run?.next(); step?.done === false; step = await run?.next()) {
      types.push(step.value.type);
      if (types.length === 5) release.resolve();
    }
    expect(types.slice(0, 5)).toEqual([
      'image_generation_start',
      ...Array.from({ length: 4 }, () => 'image_generation_heartbeat'),
    ]);
    expect(types.at(-1)).toBe('image_generation_final');
  });

  it('given as a link is fetched from the provider', async () => {
    images.images['/made/1.png'] = PNG;
    await draw({ json: { data: [{ url: new URL('/made/1.png', images.url).href }] } });
    expect(stage.saved.map(({ bytes }) => bytes)).toEqual([PNG]);
  });

  it('can be embedded in a data: URL', async () => {
    await draw({ json: { data: [{ url: `data:image/png;base64,${PNG.toString('base64')}` }] } });
    expect(stage.saved.map(({ bytes }) => bytes)).toEqual([PNG]);
  });

  it('is not fetched from an internal address', async () => {
    await using inner = await startTripwire([0]);
    const url = `http://${inner.address}:${inner.ports[0]}/image.png`;
    images.script = [{ json: { data: [{ url }] } }];
    const failure = await failureOfTool(toolWith(), { prompt: 'x' });
    expect(failure.cause).toBeInstanceOf(ToolFailed);
    expect(failure.message).toMatch(/^The image model painter-1 could not be reached\. /);
    expect(inner.connections).toBe(0);
  });
});
