import { readFileSync } from 'node:fs';
import path from 'node:path';
import { z } from 'zod';

const FILES = ['documents', 'delimiters', 'links', 'tools'];
const FOLDER = path.resolve(import.meta.dirname, '..', 'fixtures', 'injections');

/** Where an injection is placed. */
const place = z.enum([
  'document',
  'title',
  'heading',
  'metadata',
  'link',
  'page',
  'file',
  'file-name',
  'context',
  'agent',
  'tool-result',
  'tool-description',
  'mcp-result',
  'mcp-description',
  'question-without-tools',
]);

const injectionSchema = z.strictObject({
  name: z.string(),
  place,
  /** `{{…}}` is replaced by a value of the stage, `{{tags:…}}` by the words in invisible tag characters. */
  text: z.string(),
  repeat: z.int().default(1),
  allowed: z.array(z.int()).nullable().default(null),
  /** What an obedient model does with it. */
  calls: z.array(z.object({ name: z.string(), args: z.unknown() })).default([]),
  says: z.string().default(''),
  /** The tools that then run, including those that lead to the injection. */
  ran: z.array(z.string()).default([]),
  /** What the model is told about its last calls. */
  told: z.string().nullable().default(null),
  /** Text that must not reach the model literally. */
  hidden: z.array(z.string()).default([]),
});

export type Injection = z.output<typeof injectionSchema> & {
  /** A unique word by which this injection is found. */
  word: string;
};

export function readInjections(): Injection[] {
  return FILES.flatMap((file) => {
    const text = readFileSync(path.join(FOLDER, `${file}.json`), 'utf8');
    return z.array(injectionSchema).parse(JSON.parse(text));
  }).map((injection, index) => ({ ...injection, word: `quillon${index}` }));
}

/** Replaces the placeholders in texts at any depth. */
export function fillIn<T>(value: T, known: Readonly<Record<string, string>>): T {
  const filled = JSON.stringify(value).replaceAll(
    /\{\{(?:tags:([^}]+)|(\w+))\}\}/g,
    (all, hidden: string | undefined, name: string = '') =>
      JSON.stringify(hidden === undefined ? (known[name] ?? all) : asTags(hidden)).slice(1, -1),
  );
  // Same shape, different texts.
  return JSON.parse(filled) as T;
}

/** Unicode tag characters: invisible to readers, but some models read them. */
function asTags(text: string): string {
  return Array.from(text, (letter) =>
    String.fromCodePoint(0xe0000 + (letter.codePointAt(0) ?? 0)),
  ).join('');
}
