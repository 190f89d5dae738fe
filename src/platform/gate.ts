/** Admits up to `width` callers at a time, in order of arrival; each gets a function that admits the next. */
export function openGate(width: number): () => Promise<() => void> {
  const waiting: (() => void)[] = [];
  let inside = 0;
  const leave = (): void => {
    const next = waiting.shift();
    if (next) next();
    else inside -= 1;
  };
  return async () => {
    if (inside < width) inside += 1;
    else await new Promise<void>((resolve) => waiting.push(resolve));
    return leave;
  };
}

/** Runs `work` once the gate lets it in. */
export async function throughGate<Result>(
  enter: () => Promise<() => void>,
  work: () => Promise<Result>,
): Promise<Result> {
  const leave = await enter();
  try {
    return await work();
  } finally {
    leave();
  }
}
