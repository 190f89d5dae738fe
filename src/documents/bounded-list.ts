import { z } from 'zod';

/**
 * A list of at most `max` items, counted before any item is read: a schema counts last, and reading a million items
 * takes seconds.
 */
export function boundedList<Item extends z.ZodType>(
  item: Item,
  max: number,
): z.ZodType<z.output<Item>[], z.input<Item>[]> {
  return z.preprocess((value, context) => {
    if (!Array.isArray(value) || value.length <= max) return value;
    context.issues.push({
      code: 'too_big',
      origin: 'array',
      maximum: max,
      inclusive: true,
      input: value,
    });
    return z.NEVER;
  }, z.array(item).max(max));
}
