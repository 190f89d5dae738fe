import { afterAll, beforeAll, beforeEach, describe, expect, it } from 'vitest';

import { ToolFailed } from '#src/chat/tools/tool.ts';
import { Problem } from '#src/platform/errors.ts';
import {
  type FakeImages,
  imageAnswer,
  type ImageScript,
  PNG,
} from '#test/support/fake-images-endpoint.ts';
import { IMAGE_KEY, type ImageStage, startImageStage } from '#test/support/image-stage.ts';
import { failureOfTool, typesOf } from '#test/support/run-tool.ts';
import { until } from '#test/support/until.ts';

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
const failToDraw = (...script: ImageScript[]) => {
  images.script = script;
  return failureOfTool(toolWith(), { prompt: 'A red kite.' });
};
const refusal = (status: number, message: string): ImageScript => ({
  status,
  json: { error: { message, code: 'some_code' } },
});

describe('an image endpoint that returns no image', () => {
  it.each<[string, ImageScript, string | RegExp]>([
    [
      'a refused prompt',
      refusal(400, 'Your request was rejected by our safety system.'),
      'The image model painter-1 refused the request (400). It said: Your request was rejected by our safety system.',
    ],
    [
      'a wrong key',
      refusal(401, `Incorrect key: ${IMAGE_KEY}, sk-im***6789.`),
      /\(401\): the operator/,
    ],
    ['no such model', refusal(404, 'No such model.'), /IMAGE_MODEL and IMAGE_BASE_URL/],
    ['too many calls', refusal(429, 'Slow down.'), /asked too often \(429\)\. .* Slow down\.$/],
    ['a failure', refusal(503, 'Overloaded.'), /failed \(503\)\. Try again in a while\. It said/],
    [
      'an error page of a proxy',
      { status: 502, text: '<html>Bad gateway' },
      /failed \(502\)\.[^<]*$/,
    ],
    ['a redirect', { status: 302, headers: { location: '/elsewhere' } }, /redirects \(302\)/],
    ['text instead of JSON', { text: 'An image' }, 'something that is no image'],
    ['no data', { json: { data: [] } }, 'something that is no image'],
    ['neither bytes nor a link', { json: { data: [{}] } }, 'something that is no image'],
    [
      'bytes that are not an image',
      imageAnswer({ b64_json: Buffer.from('<svg onload="x">').toString('base64') }),
      'something that is no image',
    ],
    [
      'half an image',
      imageAnswer({ b64_json: PNG.subarray(0, 40).toString('base64') }),
      'The answer of painter-1 is a damaged PNG image; it may be cut off.',
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
    expect(stage.saved).toEqual([]);
  });

  it('is cut off when it sends 100 MB', async () => {
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

  it('times out, and its request is closed', async () => {
    const before = images.abandoned;
    images.script = [() => undefined];
    const tool = toolWith({}, { timeoutMs: 2_000 });
    const failure = await failureOfTool(tool, { prompt: 'A red kite.' });
    expect(failure.cause).toBeInstanceOf(ToolFailed);
    expect(failure.message).toBe('The image model painter-1 made no image within 2 s.');
    await until(async () => images.abandoned === before + 1);
  });

  it('reports when the file is too large to be stored', async () => {
    images.script = [imageAnswer()];
    const tool = toolWith({}, {}, () =>
      Promise.reject(new Problem('PAYLOAD_TOO_LARGE', 'generated-image.png is too large.')),
    );
    const failure = await failureOfTool(tool, { prompt: 'x' });
    expect(failure.cause).toBeInstanceOf(ToolFailed);
    expect(failure.message).toBe('generated-image.png is too large.');
  });
});

describe('a canceled image generation', () => {
  it('ends its request on abort', async () => {
    const before = images.abandoned;
    const abort = new AbortController();
    images.script = [() => abort.abort(new Error('The client has gone.'))];
    const options = { signal: abort.signal };
    const failure = await failureOfTool(toolWith(), { prompt: 'x' }, options);
    expect(failure.message).toBe('The client has gone.');
    await until(async () => images.abandoned === before + 1);
    expect(stage.saved).toEqual([]);
  });

  it('ends its request when the consumer stops reading', async () => {
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
