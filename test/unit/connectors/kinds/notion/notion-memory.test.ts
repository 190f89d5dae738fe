import { describe, expect, it } from 'vitest';
import { PAGE } from '#src/connectors/kinds/notion/notion-api.ts';
import { isUnchanged, type PageMemory } from '#src/connectors/kinds/notion/notion-memory.ts';

const EDITED = '2026-03-01T10:30:00.000Z';
const page = (rest: object = {}) =>
  PAGE.parse({ object: 'page', id: 'p1', last_edited_time: EDITED, ...rest });
const known = (edited = EDITED): Map<string, PageMemory> =>
  new Map([['p1', { edited, subPages: [] }]]);
const at = (time: string): Date => new Date(`2026-03-01T${time}Z`);

describe('a Notion page', () => {
  it('is unchanged when its last edit was read, in an earlier minute than the last run', () => {
    expect(isUnchanged(page(), at('10:31:00'), known())).toBe(true);
    expect(isUnchanged(page(), at('12:00:30'), known())).toBe(true);
  });

  it('is read again when the last run was in the minute of its edit, since a later edit has the same time', () => {
    expect(isUnchanged(page(), at('10:30:00'), known())).toBe(false);
    expect(isUnchanged(page(), at('10:30:59.999'), known())).toBe(false);
  });

  it('is read when edited since, unknown, in a first run, or deleted', () => {
    expect(isUnchanged(page(), at('12:00:00'), known('2026-03-01T10:29:00.000Z'))).toBe(false);
    expect(isUnchanged(page(), at('12:00:00'), new Map())).toBe(false);
    expect(isUnchanged(page(), null, known())).toBe(false);
    expect(isUnchanged(page({ in_trash: true }), at('12:00:00'), known())).toBe(false);
  });
});
