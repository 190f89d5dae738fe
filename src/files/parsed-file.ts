/** One citable part of a file. */
export interface ParsedSection {
  text: string;
  /** The suffix that turns the file's address into a link to this part (`#page=3`), or null. */
  link: string | null;
}

/** The result of every parser: the file's text as Markdown or plain text, in reading order. */
export interface ParsedFile {
  title: string;
  sections: ParsedSection[];
  metadata: Record<string, string | string[]>;
}

/** A file as received. The name is only a hint: the bytes may overrule it. */
export interface FileToParse {
  name: string;
  bytes: Uint8Array;
  /** For a protected PDF. */
  password?: string;
}
