/** One citable part of a file. */
export interface ParsedSection {
  text: string;
  /** What to append to the file's own address to reach this part (`#page=3`), or null. */
  link: string | null;
}

/** What every parser returns: the file's text as Markdown or plain text, in reading order. */
export interface ParsedFile {
  title: string;
  sections: ParsedSection[];
  metadata: Record<string, string | string[]>;
}

/** A file as it arrives: its name decides nothing alone, the bytes may overrule it. */
export interface FileToParse {
  name: string;
  bytes: Uint8Array;
  /** For a protected PDF. */
  password?: string;
}
