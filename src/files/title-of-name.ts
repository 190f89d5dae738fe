import { posix } from 'node:path';

/** The title of a file that has none: its name without folders. */
export function titleOfName(name: string): string {
  return posix.basename(name.replaceAll('\\', '/')) || name;
}
