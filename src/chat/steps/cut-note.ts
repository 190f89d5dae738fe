const NOTE =
  'The answer ends here because the model has reached its limit on length. Ask it to go on to read the rest.';
const FENCE = /^ {0,3}(`{3,}|~{3,})/;

/** The note at the end of an answer that was cut off by its model's length limit; `text` is the answer so far. */
export function cutNote(text: string): string {
  const fence = openFence(text);
  return `${fence === null ? '' : `\n${fence}`}\n\n_${NOTE}_`;
}

/** The fence of an unclosed code block; null when there is none. */
function openFence(text: string): string | null {
  let open: string | null = null;
  for (const line of text.split('\n')) {
    const fence = FENCE.exec(line)?.[1];
    if (fence === undefined) continue;
    if (open === null) open = fence;
    else if (fence.startsWith(open) && line.trim() === fence) open = null;
  }
  return open;
}
