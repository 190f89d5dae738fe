import { type CheerioAPI, load } from 'cheerio';

/** cheerio does not export the type of its elements. */
export type XmlElement = Extract<Parameters<CheerioAPI['contains']>[1], { attribs: object }>;

/**
 * Reads XML without any document type: entities other than the five of XML stay as they are written, so nothing is
 * fetched and nothing multiplies. A part that is damaged gives as much as could be read.
 */
export function readXml(bytes: Uint8Array): CheerioAPI {
  return load(decodeXml(bytes), { xml: { xmlMode: true, decodeEntities: true } });
}

/** XML is UTF-8, or UTF-16 with a byte order mark (XML 1.0, section 4.3.3). */
export function decodeXml(bytes: Uint8Array): string {
  const [first, second] = bytes;
  if (first === 0xff && second === 0xfe) return new TextDecoder('utf-16le').decode(bytes);
  if (first === 0xfe && second === 0xff) return new TextDecoder('utf-16be').decode(bytes);
  return new TextDecoder('utf-8').decode(bytes);
}

export function oneLine(text: string): string {
  return text.replace(/\s+/g, ' ').trim();
}
