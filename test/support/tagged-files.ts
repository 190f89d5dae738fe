import { globSync, readFileSync } from 'node:fs';
import path from 'node:path';

/** What a test file may declare in a line of its own: `// @module-tag smoke`. Vitest rejects other tags. */
export const TAGS = [
  {
    name: 'processes',
    description: 'Starts, kills or stops its own processes, with a longer timeout.',
    timeout: 300_000,
  },
  { name: 'smoke', description: 'One file per feature that `npm test` runs on the embedded size.' },
  { name: 'volume', description: 'Thousands of documents: excluded from `npm test`.' },
  {
    name: 'queues',
    description: 'Depends on where queues and limits are stored: also run on Postgres alone.',
  },
  {
    name: 'database',
    description:
      'Depends on connections, the planner or processes: also run on Postgres with Redis.',
  },
  { name: 'peers', description: 'Talks to third-party servers: `npm run test:peers`.' },
];

export type Tag = 'processes' | 'smoke' | 'volume' | 'queues' | 'database' | 'peers';

const ROOT = path.resolve(import.meta.dirname, '../..');
const TAG_LINE = /^\/\/ @module-tag ([\w-]+)$/gm;

/** The test files below a folder of the repository, with their tags. */
function taggedFiles(folder: string): { file: string; tags: readonly string[] }[] {
  return globSync(`${folder}/**/*.test.ts`, { cwd: ROOT })
    .toSorted()
    .map((file) => ({
      file,
      tags: Array.from(
        readFileSync(path.join(ROOT, file), 'utf8').matchAll(TAG_LINE),
        ([, tag = '']) => tag,
      ),
    }));
}

/** The files of a folder that have one of these tags. */
export function filesTagged(folder: string, ...tags: Tag[]): string[] {
  return taggedFiles(folder)
    .filter((entry) => tags.some((tag) => entry.tags.includes(tag)))
    .map(({ file }) => file);
}
