/** A calendar day, `YYYY-MM-DD`; dates compare like strings. */
export type LocalDate = string;

/** More than the number of time zones. Names may differ in case, so the cache needs a limit. */
const MAX_FORMATS = 1_000;
const DAY_MS = 86_400_000;

const formats = new Map<string, Intl.DateTimeFormat>();

/** The local date at a moment. A time zone that this Node version does not know counts as UTC. */
export function localDateIn(timeZone: string, at: Date): LocalDate {
  const part = new Map(
    formatOf(timeZone)
      .formatToParts(at)
      .map(({ type, value }) => [type, value]),
  );
  return `${part.get('year')}-${part.get('month')}-${part.get('day')}`;
}

export function nextDay(date: LocalDate): LocalDate {
  return addDays(date, 1);
}

export function addDays(date: LocalDate, days: number): LocalDate {
  return new Date(Date.parse(date) + days * DAY_MS).toISOString().slice(0, 10);
}

function formatOf(timeZone: string): Intl.DateTimeFormat {
  const known = formats.get(timeZone);
  if (known) return known;
  if (formats.size >= MAX_FORMATS) formats.clear();
  const made = makeFormat(timeZone);
  formats.set(timeZone, made);
  return made;
}

function makeFormat(timeZone: string): Intl.DateTimeFormat {
  const shape = { calendar: 'gregory', year: 'numeric', month: '2-digit', day: '2-digit' } as const;
  try {
    return new Intl.DateTimeFormat('en-US', { ...shape, timeZone });
  } catch (error) {
    if (!(error instanceof RangeError)) throw error;
    return new Intl.DateTimeFormat('en-US', { ...shape, timeZone: 'UTC' });
  }
}
