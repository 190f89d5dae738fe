/** Lets `width` callers in at a time, the others in turn; each gets the function that lets the next one in. */
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
