import { describe, expect, it } from 'vitest';
import type { ConnectorDocument } from '#src/connectors/source/connector.ts';
import type { ConnectorFixture } from '#test/support/connector-fixture.ts';
import { loadContractKinds } from '#test/support/connector-contract.ts';
import {
  checkpointAfter,
  checkSource,
  documentsOf,
  failuresOf,
  fetchAgain,
  idsOf,
  listAll,
  memoryAfter,
  runAgain,
  runPoll,
  seenIn,
  textOf,
} from '#test/support/run-poll.ts';

const kinds = await loadContractKinds();
const HOUR_MS = 3_600_000;
const hoursAgo = (hours: number): Date => new Date(Date.now() - hours * HOUR_MS);

describe.each(kinds)('$kind, polled', ({ start }) => {
  it('passes its check', async () => {
    await using source = await start();
    await expect(checkSource(source)).resolves.toBeUndefined();
  });

  it('yields every document once', async () => {
    await using source = await start();
    const run = await runPoll(source);
    expect(run.error).toBeNull();
    expect(run.pages.length).toBeGreaterThanOrEqual(3);
    expect(idsOf(run).toSorted()).toEqual(source.fixture.ids().toSorted());
    expect(failuresOf(run)).toEqual([]);
  });

  it('yields documents that can be displayed and searched', async () => {
    await using source = await start();
    for (const document of documentsOf(await runPoll(source))) expectUsable(document);
  });

  it('yields pages of bounded size, each with a progress description', async () => {
    await using source = await start();
    const run = await runPoll(source);
    for (const page of run.pages) {
      expect(page.documents.length).toBeLessThanOrEqual(source.connector.limits.documentsPerPage);
      expect(page.description.trim()).not.toBe('');
      expect(page.removed).toEqual([]);
      if (page.estimatedTotal !== null) expect(page.estimatedTotal).toBeGreaterThanOrEqual(0);
    }
  });

  it('has checkpoints that survive JSON and stay small', async () => {
    await using source = await start();
    const run = await runPoll(source);
    for (const [index, { checkpoint }] of run.pages.entries()) {
      expect(JSON.stringify(checkpoint).length).toBeLessThan(4_000);
      expect(checkpointAfter(source, run, index + 1)).toEqual(checkpoint);
    }
  });

  it('resumes from every checkpoint with exactly the remaining documents', async () => {
    await using source = await start();
    const whole = await runPoll(source);
    for (const [index, page] of whole.pages.entries()) {
      const done = idsOf({ pages: whole.pages.slice(0, index + 1) });
      const rest = await runPoll(source, { after: { run: whole, page: index + 1 } });
      expect(rest.error).toBeNull();
      const again = idsOf(rest).filter((id) => done.includes(id));
      // A timestamp cursor may yield the documents of the last page again.
      const lastPage = page.documents.map(({ id }) => id);
      expect(lastPage).toEqual(expect.arrayContaining(again));
      expect([...new Set([...done, ...idsOf(rest)])].toSorted()).toEqual(
        source.fixture.ids().toSorted(),
      );
      expect(failuresOf(rest)).toEqual([]);
    }
  });

  it('finds no changes when nothing has changed', async () => {
    await using source = await start();
    const first = await runPoll(source);
    const second = await runAgain(source, first);
    expect(second.error).toBeNull();
    expect(failuresOf(second)).toEqual([]);
    expect(second.pages.flatMap(({ removed }) => removed)).toEqual([]);
    // A document read again must be identical, or it would be indexed again.
    const before = new Map(documentsOf(first).map((document) => [document.id, document]));
    const afresh = await runPoll(source);
    expect(idsOf(afresh)).toHaveLength(before.size);
    for (const document of [...documentsOf(second), ...documentsOf(afresh)]) {
      expect(document).toEqual(before.get(document.id));
    }
  });

  it('yields edited and new documents under stable ids', async () => {
    await using source = await start();
    const { fixture } = source;
    const edited = fixture.put('contract', 'The first words.', hoursAgo(2));
    const first = await runPoll(source);
    expect(textOf(first, edited)).toContain('The first words.');
    expect(fixture.put('contract', 'The second words.', new Date())).toBe(edited);
    const added = fixture.put('contract-two', 'Words of another.', new Date());
    const second = await runAgain(source, first);
    expect(second.error).toBeNull();
    expect(textOf(second, edited)).toContain('The second words.');
    expect(textOf(second, added)).toContain('Words of another.');
    expect([...seenIn(first), ...seenIn(second)]).toEqual(expect.arrayContaining(fixture.ids()));
    const third = await runPoll(source);
    expect(idsOf(third).toSorted()).toEqual(fixture.ids().toSorted());
  });

  it('shows which documents are gone', async () => {
    await using source = await start();
    const { fixture } = source;
    const gone = fixture.put('contract', 'Soon gone.', hoursAgo(2));
    const first = await runPoll(source);
    expect(idsOf(first)).toContain(gone);
    fixture.remove('contract');
    const second = await runAgain(source, first);
    expect(second.error).toBeNull();
    expect(seenIn(second).has(gone)).toBe(false);
    if (fixture.deletionsSeenBy === 'poll') {
      expect(second.pages.flatMap(({ removed }) => removed)).toContain(gone);
    }
    const memory = memoryAfter(second, second.pages.length);
    const listed = new Set(await listAll(source, { memory }));
    expect([...listed].toSorted()).toEqual(fixture.ids().toSorted());
  });

  it('lists the ids of all documents, with and without memory', async () => {
    await using source = await start();
    const run = await runPoll(source);
    const ids = source.fixture.ids().toSorted();
    const memory = memoryAfter(run, run.pages.length);
    for (const listed of [await listAll(source), await listAll(source, { memory })]) {
      // An id may be listed twice: pruning only checks whether it is present.
      expect([...new Set(listed)].toSorted()).toEqual(ids);
    }
  });

  it('loses nothing when documents change between two pages', async () => {
    await using source = await start();
    const { fixture } = source;
    const movers = putMovers(fixture, hoursAgo(28 * 24));
    const edited: Mover[] = [];
    const first = await runPoll(source, {
      onPage: ({ documents }) => {
        const ids = documents.map(({ id }) => id);
        const seen = movers.filter(({ id }) => ids.includes(id));
        if (edited.length > 0 || seen.length === 0) return;
        const unseen = movers.filter((mover) => !seen.includes(mover));
        edited.push(...seen.slice(0, 1), ...unseen.slice(0, 2));
        for (const { name } of edited) fixture.put(name, `Meanwhile ${name}.`, new Date());
      },
    });
    expect(first.error).toBeNull();
    expect(edited).not.toEqual([]);
    const second = await runAgain(source, first);
    expect(second.error).toBeNull();
    const both = { pages: [...first.pages, ...second.pages] };
    expect([...seenIn(both)].toSorted()).toEqual(fixture.ids().toSorted());
    for (const { id, name } of edited) expect(textOf(both, id)).toContain(`Meanwhile ${name}.`);
  });

  it('loses nothing when documents it has already read disappear between two pages', async () => {
    await using source = await start();
    const { fixture } = source;
    const movers = putMovers(fixture, hoursAgo(600 * 24));
    let removed = 0;
    const first = await runPoll(source, {
      onPage: ({ documents }) => {
        if (removed > 0) return;
        const ids = documents.map(({ id }) => id);
        const seen = movers.filter(({ id }) => ids.includes(id));
        for (const { name } of seen) fixture.remove(name);
        removed = seen.length;
      },
    });
    expect(first.error).toBeNull();
    expect(removed).toBeGreaterThan(0);
    const second = await runAgain(source, first);
    expect([...seenIn(first), ...seenIn(second)]).toEqual(expect.arrayContaining(fixture.ids()));
  });
});

interface Mover {
  name: string;
  id: string;
}

/** Equal numbers of documents older and newer than those of the fixture. */
function putMovers(fixture: ConnectorFixture, old: Date): Mover[] {
  return [1, 2, 3, 4, 5, 6].map((number) => {
    const name = `mover-${number}`;
    const at = number % 2 === 0 ? hoursAgo(number) : new Date(old.getTime() + number * HOUR_MS);
    return { name, id: fixture.put(name, `Text of ${name}.`, at) };
  });
}

function byId(documents: ConnectorDocument[]): ConnectorDocument[] {
  return documents.toSorted((a, b) => a.id.localeCompare(b.id));
}

function expectUsable(document: ConnectorDocument): void {
  const { id, semanticIdentifier, sections, metadata, updatedAt, title } = document;
  expect(id.trim()).toBe(id);
  expect(id).not.toBe('');
  expect(semanticIdentifier.trim()).not.toBe('');
  if (title !== null) expect(title.trim()).not.toBe('');
  expect(sections.map(({ text }) => text.trim()).join('')).not.toBe('');
  for (const { link } of sections) {
    if (link !== null && link !== undefined) expect(URL.canParse(link), link).toBe(true);
  }
  if (updatedAt !== null) {
    expect(updatedAt.getTime()).toBeGreaterThan(0);
    expect(updatedAt.getTime()).toBeLessThanOrEqual(Date.now() + HOUR_MS);
  }
  for (const [name, value] of Object.entries(metadata)) {
    for (const one of [value].flat()) expect(one.trim(), name).not.toBe('');
  }
}

describe.each(kinds.filter(({ entry }) => entry.fetchAgain !== undefined))(
  '$kind, fetching again',
  ({ start }) => {
    it('fetches single documents again and reports the missing ones', async () => {
      await using source = await start();
      const { fixture } = source;
      const gone = fixture.put('contract', 'Soon gone.', hoursAgo(2));
      const first = await runPoll(source);
      const kept = documentsOf(first).filter(({ id }) => id !== gone);
      fixture.remove('contract');
      const again = await fetchAgain(source, [gone, ...kept.map(({ id }) => id)]);
      expect(again.error).toBeNull();
      expect(again.pages.flatMap(({ removed }) => removed)).toEqual([gone]);
      expect(failuresOf(again)).toEqual([]);
      expect(byId(documentsOf(again))).toEqual(byId(kept));
    });
  },
);
