import { z } from 'zod';
import { defineRoute, type Route } from '#src/api/route.ts';
import { IMAGE_SHAPES } from '#src/chat/images/image-size.ts';
import { generatedImageSchema } from '#src/chat/wire/packets.ts';
import { makeImage } from '#src/chat/images/make-image.ts';
import { imageProviderOf } from '#src/chat/images/image-provider.ts';
import { ToolFailed } from '#src/chat/tools/tool.ts';
import { cleanText } from '#src/documents/clean-text.ts';
import { Problem } from '#src/platform/errors.ts';

const MAX_PROMPT_LENGTH = 4_000;

export const imageGenerationRoutes: readonly Route[] = [
  defineRoute({
    method: 'POST',
    path: '/image-generation/generate',
    summary: 'Make an image',
    description:
      'By the images endpoint of IMAGE_MODEL, as the tool `generate_image` does. The image is kept; `url` gives it to whoever asked for it.',
    tag: 'Chat',
    family: 'platform',
    scope: 'read',
    body: z.object({
      prompt: z
        .string()
        .max(MAX_PROMPT_LENGTH)
        .transform((prompt) => cleanText(prompt.trim()).toWellFormed())
        .refine((prompt) => prompt !== '', 'must not be blank')
        .describe('What the image shows.'),
      shape: z
        .enum(IMAGE_SHAPES)
        .nullish()
        .transform((shape) => shape ?? 'square'),
    }),
    reply: z.object({ images: z.array(generatedImageSchema) }),
    errors: ['BAD_GATEWAY'],
    async handle({ services, principal, body, signal }) {
      const provider = imageProviderOf(services);
      if (provider === null)
        throw new Problem(
          'BAD_REQUEST',
          'No image model is configured here. The operator sets IMAGE_MODEL, and IMAGE_BASE_URL or LLM_BASE_URL.',
        );
      try {
        const image = await makeImage(services, provider, principal, { ...body, signal });
        return { images: [image] };
      } catch (error) {
        if (error instanceof ToolFailed)
          throw new Problem('BAD_GATEWAY', error.message, { cause: error });
        throw error;
      }
    },
  }),
];
