import { z } from 'zod';

/** The response of most administration calls. */
export const statusResponseSchema = z
  .object({
    success: z.boolean(),
    message: z.string().nullable(),
    data: z.int().nullable().describe('The id of what the call was about, or a number of things.'),
  })
  .meta({ id: 'StatusResponse' });

export type StatusResponse = z.input<typeof statusResponseSchema>;

export function succeeded(message: string, data: number | null): StatusResponse {
  return { success: true, message, data };
}
