import { afterAll, beforeAll, beforeEach, describe, expect, it } from 'vitest';

import { createImageGeneration } from '#src/chat/tools/image-generation.ts';
import { ToolFailed } from '#src/chat/tools/tool.ts';
import type { NewFile } from '#src/files/file-store.ts';
import type { StoredFileId, UserId, WorkspaceId } from '#src/ids.ts';
import { parseConfig } from '#src/platform/config.ts';
import { Problem } from '#src/platform/errors.ts';
import { createHttpClient, createOperatorFetch, type HttpClient } from '#src/platform/http.ts';
import {
  type FakeImages,
  imageAnswer,
  type ImageScript,
  PNG,
  startFakeImages,
} from '#test/support/fake-images-endpoint.ts';
import { failureOfTool, runTool, typesOf } from '#test/support/run-tool.ts';
import { startTripwire } from '#test/support/tripwire.ts';
import { until } from '#test/support/until.ts';

const KEY = 'sk-images-0123456789';
const OWNER = { workspaceId: 'w' as WorkspaceId, userId: 'u' as UserId };
const operatorFetch = createOperatorFetch();
let http: HttpClient;
let images: FakeImages;
const saved: { file: NewFile; bytes: Buffer }[] = [];
beforeAll(async () => {
  http = createHttpClient({ allowCidrs: [], proxyUrl: null });
  images = await startFakeImages();
});
afterAll(async () => {
  await images[Symbol.asyncDispose]();
  await http[Symbol.asyncDispose]();
});
beforeEach(() => {
  saved.length = 0;
  images.orders.length = 0;
});

const save = async (file: NewFile, content: AsyncIterable<Uint8Array>) => {
  const bytes = Buffer.concat(await Array.fromAsync(content));
  saved.push({ file, bytes });
  return {
    ...file,
    id: `file-${saved.length}` as StoredFileId,
    byteCount: bytes.length,
    metadata: {},
    createdAt: new Date(0),
  };
};
const nothing = () => Promise.reject(new Error('Not for this tool.'));

function toolWith(
  settings: Record<string, string> = {},
  timings: { heartbeatMs?: number; timeoutMs?: number } = {},
  storing: typeof save = save,
) {
  const config = parseConfig({
    IMAGE_MODEL: 'painter-1',
    IMAGE_BASE_URL: images.url,
    IMAGE_API_KEY: KEY,
    ...settings,
  });
  const files = { save: storing, find: nothing, read: nothing, remove: nothing };
  return createImageGeneration({ config, operatorFetch, http, files }, OWNER, timings);
}

const draw = (...script: ImageScript[]) => {
  images.script = script;
  return runTool(toolWith(), { prompt: 'A red kite.' });
};
const failToDraw = (...script: ImageScript[]) => {
  images.script = script;
  return failureOfTool(toolWith(), { prompt: 'A red kite.' });
};
const refusal = (status: number, message: string): ImageScript => ({
  status,
  json: { error: { message, code: 'some_code' } },
});

describe('the tool', () => {
  it('is not there without a model for images', () => {
    expect(toolWith({ IMAGE_MODEL: '' })).toBeNull();
  });

  it('sends the key of the language model to no other address', async () => {
    images.script = [imageAnswer()];
    const llm = { LLM_BASE_URL: images.url, LLM_MODEL: 'm', LLM_API_KEY: 'sk-llm-key' };
    await runTool(toolWith({ ...llm, IMAGE_API_KEY: '' }), { prompt: 'x' });
    await runTool(toolWith({ ...llm, IMAGE_API_KEY: '', IMAGE_BASE_URL: '' }), { prompt: 'x' });
    await runTool(toolWith({ ...llm, IMAGE_BASE_URL: '' }), { prompt: 'x' });
    expect(images.orders.map(({ authorization }) => authorization)).toEqual([
      undefined,
      'Bearer sk-llm-key',
      `Bearer ${KEY}`,
    ]);
  });

  it.each([
    ['no prompt', {}, /^The arguments are wrong\. [^]*prompt/],
    ['an unknown shape', { prompt: 'x', shape: 'round' }, /^The arguments are wrong\. [^]*shape/],
    ['a blank prompt', { prompt: ' \n' }, /^prompt is empty\. /],
  ])('is not asked with %s', async (_, input, reason) => {
    const failure = await failureOfTool(toolWith(), input);
    expect(failure.cause).toBeInstanceOf(ToolFailed);
    expect(failure.message).toMatch(reason);
    expect(images.orders).toEqual([]);
  });
});

describe('an endpoint that makes no image', () => {
  it.each<[string, ImageScript, string | RegExp]>([
    [
      'a refused prompt',
      refusal(400, 'Your request was rejected by our safety system.'),
      'The image model painter-1 refused the request (400). It said: Your request was rejected by our safety system.',
    ],
    ['a wrong key', refusal(401, `Incorrect key: ${KEY}, sk-im***6789.`), /\(401\): the operator/],
    ['no such model', refusal(404, 'No such model.'), /IMAGE_MODEL and IMAGE_BASE_URL/],
    ['too many calls', refusal(429, 'Slow down.'), /asked too often \(429\)\. .* Slow down\.$/],
    ['a failure', refusal(503, 'Overloaded.'), /failed \(503\)\. Try again in a while\. It said/],
    ['a page of a proxy', { status: 502, text: '<html>Bad gateway' }, /failed \(502\)\.[^<]*$/],
    ['a redirect', { status: 302, headers: { location: '/elsewhere' } }, /redirects \(302\)/],
    ['no JSON', { text: 'An image' }, 'something that is no image'],
    ['no data', { json: { data: [] } }, 'something that is no image'],
    ['neither bytes nor a link', { json: { data: [{}] } }, 'something that is no image'],
    [
      'bytes that are no image',
      imageAnswer({ b64_json: Buffer.from('<svg onload="x">').toString('base64') }),
      'something that is no image',
    ],
    ['a dropped connection', (response) => void response.destroy(), /could not be reached/],
    ['half an answer', (response) => void response.write('{', () => response.destroy()), /reached/],
  ])('tells the model why: %s', async (_, script, reason) => {
    const failure = await failToDraw(script);
    expect(failure.cause).toBeInstanceOf(ToolFailed);
    expect(failure.message).toMatch(reason);
    expect(failure.message).not.toMatch(/6789/);
    expect(typesOf(failure.packets).slice(0, 2)).toEqual([
      'image_generation_start',
      'image_generation_heartbeat',
    ]);
    expect(saved).toEqual([]);
  });

  it('is not read to its end when it sends 100 MB', async () => {
    const part = Buffer.alloc(1_000_000, 'a');
    let sent = 0;
    const failure = await failToDraw((response) => {
      const more = (): void => {
        while (sent < 100 && !response.destroyed) {
          sent += 1;
          if (!response.write(part)) return void response.once('drain', more);
        }
        response.end();
      };
      more();
    });
    expect(failure.message).toBe('The image model sent more than 28 MB.');
    expect(sent).toBeLessThan(100);
  });

  it('is given up when it takes too long, and the call is closed', async () => {
    const before = images.abandoned;
    images.script = [() => undefined];
    const tool = toolWith({}, { timeoutMs: 50 });
    const failure = await failureOfTool(tool, { prompt: 'A red kite.' });
    expect(failure.cause).toBeInstanceOf(ToolFailed);
    expect(failure.message).toBe('The image model painter-1 made no image within 0.05 s.');
    await until(async () => images.abandoned === before + 1);
  });

  it('does not hide that the file is too large to be stored', async () => {
    images.script = [imageAnswer()];
    const tool = toolWith({}, {}, () =>
      Promise.reject(new Problem('PAYLOAD_TOO_LARGE', 'generated-image.png is too large.')),
    );
    const failure = await failureOfTool(tool, { prompt: 'x' });
    expect(failure.cause).toBeInstanceOf(ToolFailed);
    expect(failure.message).toBe('generated-image.png is too large.');
  });
});

describe('whoever leaves', () => {
  it('ends the call by an abort', async () => {
    const before = images.abandoned;
    const abort = new AbortController();
    images.script = [() => abort.abort(new Error('The client has gone.'))];
    const options = { signal: abort.signal };
    const failure = await failureOfTool(toolWith(), { prompt: 'x' }, options);
    expect(failure.message).toBe('The client has gone.');
    await until(async () => images.abandoned === before + 1);
    expect(saved).toEqual([]);
  });

  it('ends the call by reading no further', async () => {
    const before = images.abandoned;
    const asked = Promise.withResolvers<void>();
    images.script = [() => asked.resolve()];
    const run = toolWith()?.run(
      { prompt: 'x' },
      {
        numbers: { numberOf: () => 1 },
        question: '',
        signal: new AbortController().signal,
      },
    );
    await run?.next();
    await run?.next();
    await asked.promise;
    await run?.return({ text: '', documents: [] });
    await until(async () => images.abandoned === before + 1);
  });
});

describe('an image', () => {
  it('is stored by what it is, and shown with its address', async () => {
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
    expect(saved).toEqual([
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
        authorization: `Bearer ${KEY}`,
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
  ])('of %s that is a %s has %s', async (IMAGE_MODEL, shape, size) => {
    images.script = [imageAnswer()];
    const { result } = await runTool(toolWith({ IMAGE_MODEL }), { prompt: 'x', shape });
    expect(images.orders[0]?.body).toMatchObject({ size });
    expect(result.images).toMatchObject([{ shape, revised_prompt: 'x' }]);
  });

  it('is asked for once more by a model that does not take the format', async () => {
    await draw(refusal(400, "Unknown parameter: 'response_format'."), imageAnswer());
    expect(images.orders.map(({ body }) => 'response_format' in body)).toEqual([true, false]);
    images.orders.length = 0;
    images.script = [imageAnswer()];
    await runTool(toolWith({ IMAGE_MODEL: 'gpt-image-1' }), { prompt: 'x' });
    expect(images.orders.map(({ body }) => 'response_format' in body)).toEqual([false]);
  });

  it('is waited for with a heartbeat at once and then again and again', async () => {
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

  it('that is a link is fetched from the provider itself', async () => {
    images.images['/made/1.png'] = PNG;
    await draw({ json: { data: [{ url: new URL('/made/1.png', images.url).href }] } });
    expect(saved.map(({ bytes }) => bytes)).toEqual([PNG]);
  });

  it('may stand in the link', async () => {
    await draw({ json: { data: [{ url: `data:image/png;base64,${PNG.toString('base64')}` }] } });
    expect(saved.map(({ bytes }) => bytes)).toEqual([PNG]);
  });

  it('is not fetched from an inner address', async () => {
    await using inner = await startTripwire([0]);
    const url = `http://${inner.address}:${inner.ports[0]}/image.png`;
    const failure = await failToDraw({ json: { data: [{ url }] } });
    expect(failure.cause).toBeInstanceOf(ToolFailed);
    expect(failure.message).toMatch(/^The image model painter-1 could not be reached\. /);
    expect(inner.connections).toBe(0);
  });
});
