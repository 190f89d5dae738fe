import { z } from 'zod';

import { displayName } from '#src/platform/display-name.ts';
import type { UserFileId } from '#src/ids.ts';
import type { ProjectContent } from './projects.ts';

const MAX_DESCRIPTION = 2_000;
const MAX_INSTRUCTIONS = 50_000;

/** A blank value means none. */
const plain = (limit: number) =>
  z
    .string()
    .max(limit)
    .refine((text) => !/\0|\p{Cs}/u.test(text), 'must not hold NUL or half surrogate pairs')
    .nullish()
    .transform((text) => (text === undefined || text?.trim() ? text : null));

const fields = {
  name: displayName.nullish(),
  description: plain(MAX_DESCRIPTION),
  instructions: plain(MAX_INSTRUCTIONS),
};

/** The name may be in the query, where existing clients send it. */
export const newProjectQuery = z.object({ name: displayName.optional() });
export const newProjectSchema = z.object(fields).nullish().meta({ id: 'NewProject' });

/** Omitted fields stay unchanged; a null description clears it. */
export const projectChangeSchema = z
  .object(fields)
  .transform(({ name, description, instructions }): Partial<ProjectContent> => ({
    ...(name ? { name } : {}),
    ...(description === undefined ? {} : { description }),
    ...(instructions === undefined ? {} : { instructions }),
  }))
  .meta({ id: 'ProjectChange' });

export const projectInstructionsSchema = z.object({ instructions: plain(MAX_INSTRUCTIONS) });

export const projectPathId = z.coerce
  .number('must be a whole number')
  .int('must be a whole number')
  .min(1)
  .max(2_147_483_647);
// Branded here: the queries use it together with the caller's ids.
export const userFilePathId = z
  .guid('must be a UUID')
  .transform((id) => id.toLowerCase() as UserFileId);
