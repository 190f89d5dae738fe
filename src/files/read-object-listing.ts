import { XMLParser } from 'fast-xml-parser';
import { z } from 'zod';

const parser = new XMLParser({
  ignoreAttributes: true,
  parseTagValue: false,
  isArray: (name) => name === 'Contents',
});

const listing = z.object({
  ListBucketResult: z.object({
    IsTruncated: z.string(),
    NextContinuationToken: z.string().nullish(),
    Contents: z.array(z.object({ Key: z.string() })).nullish(),
  }),
});

/**
 * https://docs.aws.amazon.com/AmazonS3/latest/API/API_ListObjectsV2.html#API_ListObjectsV2_ResponseSyntax
 * @throws Error for any other response
 */
export function readObjectListing(xml: string): { keys: string[]; nextToken: string | null } {
  const parsed = listing.safeParse(parser.parse(xml));
  if (!parsed.success)
    throw new Error('The file store answered with something that is not a listing.');
  const { Contents, IsTruncated, NextContinuationToken } = parsed.data.ListBucketResult;
  return {
    keys: (Contents ?? []).map(({ Key }) => Key),
    nextToken: IsTruncated === 'true' ? (NextContinuationToken ?? null) : null,
  };
}
