import { GiveUp } from '#src/platform/errors.ts';

/** Runs a parser; any error a library throws becomes the reason why this file cannot be read. */
export async function reportDamage<T>(
  { name, format }: { name: string; format: string },
  parse: () => Promise<T>,
): Promise<T> {
  try {
    return await parse();
  } catch (error) {
    if (error instanceof GiveUp) throw error;
    const isTooDeep = error instanceof RangeError && /call stack/.test(error.message);
    const detail = isTooDeep
      ? 'its parts are nested too deeply'
      : error instanceof Error
        ? error.message
        : String(error);
    throw new GiveUp(`${name} is a damaged ${format} file: ${detail}.`, { cause: error });
  }
}
