import { safeFileName } from '#src/files/safe-file-name.ts';

/** Makes the names of attached files safe and unique, in the same order: the second `a.csv` becomes `a-2.csv`. */
export function nameFiles(names: readonly string[]): string[] {
  const taken = new Set<string>();
  return names.map((name) => {
    const wanted = safeFileName(name).split('/').at(-1) || 'file';
    const dot = wanted.lastIndexOf('.');
    const stem = dot > 0 ? wanted.slice(0, dot) : wanted;
    const extension = wanted.slice(stem.length);
    let free = wanted;
    for (let number = 2; taken.has(free); number += 1) free = `${stem}-${number}${extension}`;
    taken.add(free);
    return free;
  });
}
