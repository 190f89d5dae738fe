import { z } from 'zod';

/** A found document in the format of the platform family (SearchDoc). Unknown fields are null, never omitted. */
export const searchDocSchema = z
  .object({
    document_id: z.string(),
    chunk_ind: z.int().describe('Ordinal of the best chunk.'),
    semantic_identifier: z.string(),
    link: z.string().nullable(),
    blurb: z.string(),
    source_type: z.string(),
    boost: z.int(),
    hidden: z.boolean(),
    metadata: z.record(z.string(), z.union([z.string(), z.array(z.string())])),
    score: z.number().nullable().describe('0 to 1; comparable within one answer only.'),
    is_relevant: z.boolean().nullable(),
    relevance_explanation: z.string().nullable(),
    match_highlights: z.array(z.string()),
    updated_at: z.string().nullable(),
    primary_owners: z.array(z.string()).nullable(),
    secondary_owners: z.array(z.string()).nullable(),
    is_internet: z.boolean(),
  })
  .meta({ id: 'SearchDoc' });
export type SearchDoc = z.output<typeof searchDocSchema>;

/** A SearchDoc with the matching passage and its position. */
export const searchHitSchema = searchDocSchema
  .extend({
    text: z.string().describe('The passage as it stands in its section.'),
    is_html: z.boolean().describe('True when the passage is HTML source.'),
    section_index: z.int(),
    start_offset: z.int().describe('UTF-16 offset of the passage in the text of its section.'),
    end_offset: z.int(),
    headings: z.array(z.string()),
  })
  .meta({ id: 'SearchHit' });
export type SearchHit = z.output<typeof searchHitSchema>;
