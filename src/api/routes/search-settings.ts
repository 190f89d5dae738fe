import { z } from 'zod';
import { defineRoute, type Route } from '#src/api/route.ts';
import { cleanText } from '#src/documents/clean-text.ts';
import {
  changeSearchSettings,
  readSearchSettings,
  type SearchSettings,
} from '#src/documents/search/search-settings.ts';
import { refusedPhrase, SYNONYM_LIMITS } from '#src/documents/search/synonyms.ts';
import { RECENCY_BIASES } from '#src/tables/documents.ts';

const phrase = z
  .string()
  .max(SYNONYM_LIMITS.phraseLength)
  .transform(cleanText)
  .superRefine((text, context) => {
    const message = refusedPhrase(text);
    if (message !== null) context.addIssue({ code: 'custom', message });
  });

const settings = {
  recency_bias: z
    .enum(RECENCY_BIASES)
    .describe(
      'How much newer documents gain when a request does not say: at most a tenth with base_decay, up to half with favor_recent. auto takes favor_recent for queries such as "latest prices", else base_decay.',
    ),
  hybrid_alpha: z
    .number()
    .min(0)
    .max(1)
    .nullable()
    .describe('Weight of the vectors when a request does not say. Null: what suits the embedder.'),
  synonyms: z
    .array(z.array(phrase).min(2).max(SYNONYM_LIMITS.phrases))
    .max(SYNONYM_LIMITS.groups)
    .describe('Groups of words or phrases that mean the same. The list replaces the one before.'),
};
const settingsSchema = z
  .object({ ...settings, synonyms: z.array(z.array(z.string())) })
  .meta({ id: 'SearchSettings' });

/** What holds for all searches of a workspace. */
export const searchSettingsRoutes: Route[] = [
  defineRoute({
    method: 'GET',
    path: '/search/settings',
    summary: 'What holds for all searches of the workspace',
    tag: 'Search',
    family: 'platform',
    scope: 'read',
    reply: settingsSchema,
    async handle({ services, principal }) {
      return present(await readSearchSettings(services.db, principal.workspaceId));
    },
  }),
  defineRoute({
    method: 'PATCH',
    path: '/search/settings',
    summary: 'Change recency, weights or synonyms for all searches of the workspace',
    description: 'What is left out stays as it is. Counts from the next search on.',
    tag: 'Search',
    family: 'platform',
    scope: 'admin',
    body: z.object({
      recency_bias: settings.recency_bias.optional(),
      hybrid_alpha: settings.hybrid_alpha.optional(),
      synonyms: settings.synonyms.optional(),
    }),
    reply: settingsSchema,
    async handle({ services, principal, body }) {
      const changed = await changeSearchSettings(services.db, principal.workspaceId, {
        ...(body.recency_bias === undefined ? {} : { recencyBias: body.recency_bias }),
        ...(body.hybrid_alpha === undefined ? {} : { hybridAlpha: body.hybrid_alpha }),
        ...(body.synonyms === undefined ? {} : { synonyms: body.synonyms }),
      });
      return present(changed);
    },
  }),
];

function present({ recencyBias, hybridAlpha, synonyms }: SearchSettings) {
  return { recency_bias: recencyBias, hybrid_alpha: hybridAlpha, synonyms };
}
