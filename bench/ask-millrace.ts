/** Where a Millrace listens, and the key of its administrator. */
export interface Target {
  readonly url: string;
  readonly adminKey: string;
}

/** Asks as the administrator of the first workspace. @throws when the answer is a refusal */
export async function read(target: Target, path: string): Promise<unknown> {
  return answerOf(path, await fetch(`${target.url}${path}`, { headers: keyOf(target) }));
}

export async function request(
  target: Target,
  method: 'POST' | 'DELETE',
  path: string,
  body: string | Uint8Array<ArrayBuffer> | FormData | null = null,
): Promise<unknown> {
  const headers = {
    ...keyOf(target),
    ...(body !== null && !(body instanceof FormData) && { 'content-type': 'application/json' }),
  };
  return answerOf(path, await fetch(`${target.url}${path}`, { method, headers, body }));
}

export function keyOf({ adminKey }: Target): { authorization: string } {
  return { authorization: `Bearer ${adminKey}` };
}

async function answerOf(path: string, response: Response): Promise<unknown> {
  const text = await response.text();
  if (!response.ok) throw new Error(`${path}: ${response.status} ${text.slice(0, 500)}`);
  return JSON.parse(text);
}

export async function inParallel<Item>(
  width: number,
  items: readonly Item[],
  work: (item: Item) => Promise<unknown>,
): Promise<void> {
  const left = items.values();
  const run = async (): Promise<void> => {
    for (const item of left) await work(item);
  };
  await Promise.all(Array.from({ length: width }, run));
}
