import { type CheerioAPI, load } from 'cheerio';

/** cheerio does not export its element type. */
export type XmlElement = Extract<Parameters<CheerioAPI['contains']>[1], { attribs: object }>;

/**
 * Reads XML while ignoring any document type: entities other than the five predefined ones stay unexpanded, so nothing
 * is fetched and entity expansion attacks fail. A damaged part yields as much as is readable.
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
