import { z } from 'zod';
import { defineRoute, type Route } from '#src/api/route.ts';
import { describeKeys, KEY_STATES } from '#src/encryption/describe-keys.ts';
import { resealValues } from '#src/encryption/reseal-values.ts';

/** The keys belong to the deployment, so only its operator has access. */
const KEYS = { tag: 'Encryption keys', family: 'platform', scope: 'bootstrap-admin' } as const;

export const encryptionKeyRoutes: Route[] = [
  defineRoute({
    ...KEYS,
    method: 'GET',
    path: '/manage/admin/encryption-keys',
    summary: 'The encryption keys and how many values each has sealed',
    description:
      'Ids of keys, never keys. The first one seals new values, the others of ENCRYPTION_KEY open what they have sealed. A missing key has sealed values that this process cannot open; a lost one was given up with npm run migrate -- --accept-lost-key.',
    reply: z.object({
      keys: z.array(z.object({ id: z.string(), state: z.enum(KEY_STATES), values: z.int() })),
      left: z.int().describe('Values to reseal: those of keys that open or are missing.'),
    }),
    handle: ({ services }) => describeKeys(services),
  }),
  defineRoute({
    ...KEYS,
    method: 'POST',
    path: '/manage/admin/encryption-keys/reseal',
    audit: { action: 'secrets.reseal', fields: ['after'] },
    summary: 'Reseal some values of older keys with the key that seals now',
    description:
      'Rewrites up to 1,000 values of all workspaces while the service works; npx millrace keys reseal calls it until none is left. It may be stopped anywhere and begun anew.',
    body: z.object({
      after: z
        .string()
        .max(100)
        .nullish()
        .describe('next of the answer before; null or absent to begin.'),
    }),
    reply: z.object({
      key_id: z.string().describe('The key that seals.'),
      resealed: z.int(),
      unreadable: z
        .array(z.object({ row: z.string(), reason: z.string() }))
        .describe('Values that no present key opens.'),
      next: z.string().nullable().describe('Send it as after; null after the last value.'),
    }),
    async handle({ services, body }) {
      const { keyId, ...step } = await resealValues(services, body.after ?? null);
      return { key_id: keyId, ...step };
    },
  }),
];
