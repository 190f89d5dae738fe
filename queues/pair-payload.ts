import { z } from 'zod';
import type { CcPairId } from '#src/ids.ts';

// The brand exists at compile time only: a positive integer in this field is a pair's id.
const ccPairId = z.int().positive() as unknown as z.ZodType<CcPairId>;

/** The payload of every connector queue: which pair to work on. */
export const pairPayload = z.object({ ccPairId });
