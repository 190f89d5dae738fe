import { afterAll, beforeAll, beforeEach, describe, expect, it } from 'vitest';
import {
  type FakeImages,
  imageAnswer,
  type ImageScript,
  PNG,
  startFakeImages,
} from '#test/support/fake-images-endpoint.ts';
import { IMAGE_KEY } from '#test/support/image-stage.ts';
import { startTestMillrace, type TestMillrace } from '#test/support/test-millrace.ts';

const PATH = '/image-generation/generate';
const LONG_PROMPT = 'x'.repeat(4_001);
const ORDER = { prompt: 'A lighthouse at dusk', shape: 'landscape' };

let images: FakeImages;
let millrace: TestMillrace;

beforeAll(async () => {
  images = await startFakeImages();
  millrace = await startTestMillrace({
    IMAGE_MODEL: 'painter-1',
    IMAGE_BASE_URL: images.url,
    IMAGE_API_KEY: IMAGE_KEY,
  });
});
afterAll(async () => {
  await millrace[Symbol.asyncDispose]();
  await images[Symbol.asyncDispose]();
});
beforeEach(() => {
  images.orders.length = 0;
  images.script = [imageAnswer({ revised_prompt: 'A lighthouse.' })];
});

describe('POST /image-generation/generate', () => {
  it('generates an image and stores it for the caller', async () => {
    const { status, body } = await millrace.call('POST', PATH, ORDER);
    expect(status).toBe(200);
    expect(body).toEqual({
      images: [
        {
          file_id: expect.any(String),
          url: `/api/chat/file/${body.images[0].file_id}`,
          revised_prompt: 'A lighthouse.',
          shape: 'landscape',
        },
      ],
    });
    expect(images.orders).toMatchObject([
      { authorization: `Bearer ${IMAGE_KEY}`, body: { model: 'painter-1', prompt: ORDER.prompt } },
    ]);
    const file = await fetch(millrace.url + body.images[0].url, {
      headers: { authorization: `Bearer ${millrace.adminKey}` },
    });
    expect(file.headers.get('content-type')).toBe('image/png');
    expect(Buffer.from(await file.arrayBuffer())).toEqual(PNG);
    const stranger = await millrace.createWorkspace();
    const foreign = await millrace.call('GET', body.images[0].url, undefined, stranger);
    expect(foreign.status).toBe(404);
  });

  it.each([
    ['prompt', {}],
    ['prompt', { prompt: '   ' }],
    ['prompt', { prompt: LONG_PROMPT }],
    ['shape', { prompt: 'A cat', shape: 'round' }],
  ])('names %s when it is wrong and does not call the provider', async (field, order) => {
    const { status, body } = await millrace.call('POST', PATH, order);
    expect([status, body.error_code]).toEqual([400, 'BAD_REQUEST']);
    expect(body.detail).toContain(field);
    expect(images.orders).toEqual([]);
  });

  it.each<[string, ImageScript]>([
    ['refuses', { status: 401, json: { error: { message: 'The key is wrong.' } } }],
    ['fails', { status: 500, text: 'boom' }],
    ['answers without an image', { json: { data: [] } }],
    ['breaks off', (response) => void response.destroy()],
  ])('is a 502 when the provider %s', async (_, script) => {
    images.script = [script];
    const { status, body, text } = await millrace.call('POST', PATH, ORDER);
    expect([status, body.error_code]).toEqual([502, 'BAD_GATEWAY']);
    expect(body).toMatchObject({ detail: expect.any(String), request_id: expect.any(String) });
    expect(text).not.toContain(IMAGE_KEY);
  });

  it('names the setting when no provider is configured', async () => {
    await using bare = await startTestMillrace();
    const { status, body } = await bare.call('POST', PATH, ORDER);
    expect([status, body.error_code]).toEqual([400, 'BAD_REQUEST']);
    expect(body.detail).toContain('IMAGE_MODEL');
  });
});
