import { describe, expect, test } from 'vitest';
import type { ConnectorPage } from '#src/connectors/source/connector.ts';
import {
  collectPages,
  openTestContext,
  type TestContext,
} from '#test/support/connector-context.ts';
import type { FakeAnswer } from '#test/support/fake-source.ts';
import { crawl, poll, startSite } from './web-harness.ts';

const FRUITS =
  'apple banana cherry damson elder fig grape hazel indigo juniper kiwi lemon mango nectarine olive peach quince raspberry sloe tamarind'.split(
    ' ',
  );
const story = (fruit: string): string =>
  `The ${fruit} ripens when the days are warm, and whoever picks ${fruit}s early has to wait for their sweetness.`;

/** A page without any names that reveal the purpose of its boxes. */
function plainPage(
  at: number,
  parts: { top?: string; text?: string; bottom?: string } = {},
): string {
  const fruit = FRUITS[at] ?? '';
  const { text = `<h2>About the ${fruit}</h2><p>${story(fruit)}</p>` } = parts;
  const links = FRUITS.map((_, index) => `<a href="/p/${index}"></a>`).join('');
  return `<!doctype html><html><head><title>${fruit}</title></head><body>${parts.top ?? ''}<div>${text}</div>${parts.bottom ?? ''}${links}</body></html>`;
}

function neighbours(at: number): string {
  const [before = 'none', after = 'none'] = [FRUITS[at - 1], FRUITS[at + 1]];
  return `<div><table><tr><td><a href="/p/${at - 1}">Back</a></td><td><a href="/">Start</a></td><td><a href="/p/${at + 1}">Onward</a></td></tr>
    <tr><td>About the ${before}</td><td></td><td>About the ${after}</td></tr></table></div>`;
}

function siteOf(
  count: number,
  pageAt: (at: number) => string,
): Record<string, string | FakeAnswer> {
  const pages = Array.from({ length: count }, (_, at): [string, string] => [
    `/p/${at}`,
    pageAt(at),
  ]);
  return {
    '/': pageAt(0).replace('</title>', ' and others</title>'),
    ...Object.fromEntries(pages),
  };
}

async function textsOf(
  test: TestContext,
  pages: Record<string, string | FakeAnswer>,
): Promise<Map<string, string>> {
  await using site = await startSite(pages);
  const { documents } = await crawl(test, { base_url: site.url });
  return new Map(
    documents.map(({ id, sections }) => [new URL(id).pathname, sections[0]?.text ?? '']),
  );
}

describe('content repeated on many pages of a site', () => {
  test('is removed beside the text, including titles that change from page to page', async () => {
    const pages = siteOf(12, (at) =>
      plainPage(at, {
        top: neighbours(at),
        bottom: `<div>Made by <a href="/us">us</a>, 2026</div>`,
      }),
    );
    await using test = openTestContext();
    const texts = await textsOf(test, pages);
    expect(texts.get('/p/5')).toBe(`## About the fig\n\n${story('fig')}`);
    for (const text of texts.values()) expect(text).not.toMatch(/Onward|Made by/);
  });

  test('is removed from a page that has almost no text of its own', async () => {
    const pages = siteOf(12, (at) =>
      plainPage(at, {
        top: neighbours(at),
        bottom: neighbours(at),
        ...(at === 7 && { text: '<h2>Hazel</h2><p>To be written.</p>' }),
      }),
    );
    await using test = openTestContext();
    expect((await textsOf(test, pages)).get('/p/7')).toBe('## Hazel\n\nTo be written.');
  });

  test('stays on a site with few pages', async () => {
    const pages = siteOf(3, (at) => plainPage(at, { bottom: `<div>Made by us</div>` }));
    await using test = openTestContext();
    for (const text of (await textsOf(test, pages)).values()) expect(text).toContain('Made by us');
  });

  test('stays within the text: a warning, an example, a table of facts', async () => {
    const shared = `<p>Mind the wasps around ripe fruit, they sting.</p><pre>pick --ripe</pre>`;
    const pages = siteOf(12, (at) =>
      plainPage(at, {
        top: neighbours(at),
        text: `<h2>About the ${FRUITS[at]}</h2><p>${story(FRUITS[at] ?? '')}</p>${shared}
          <table><tr><th><a href="/terms#family">Family</a></th><td>Rose</td></tr><tr><th><a href="/terms#season">Season</a></th><td>${FRUITS[at]} month</td></tr></table>
          <p>${story(FRUITS[at] ?? '')} And so on.</p>`,
      }),
    );
    await using test = openTestContext();
    const text = (await textsOf(test, pages)).get('/p/6') ?? '';
    expect(text).toContain('Mind the wasps');
    expect(text).toContain('pick --ripe');
    expect(text).toMatch(/Family.*Rose[\s\S]*Season.*grape month/);
    expect(text).not.toContain('Onward');
  });

  test('stays in a note beside the text that has its own sentences', async () => {
    const noteAt = (at: number): string =>
      `<div><p>Recipe</p><p>Whoever boils a ${FRUITS[at]} for an hour at a low heat and stirs it now and then has jam for the winter.</p></div>`;
    const pages = siteOf(20, (at) =>
      plainPage(at, {
        top: neighbours(at),
        text: `<h2>About the ${FRUITS[at]}</h2>${`<p>${story(FRUITS[at] ?? '')}</p>`.repeat(4)}`,
        ...(at < 8 && { bottom: noteAt(at) }),
      }),
    );
    await using test = openTestContext();
    expect((await textsOf(test, pages)).get('/p/3')).toContain('Recipe');
  });

  test('stays in an item that has other words, at the end of a page, too', async () => {
    const pages = siteOf(16, (at) =>
      plainPage(at, {
        top: neighbours(at),
        text: `<h2>About the ${FRUITS[at]}</h2><p>${story(FRUITS[at] ?? '')}</p>
          <dl><dt>${FRUITS[at]} tree</dt><dd><p>As tall as a ${FRUITS[at]} may get</p><div><p>Price: <b>${at}</b></p></div></dd></dl>`,
      }),
    );
    await using test = openTestContext();
    const text = (await textsOf(test, pages)).get('/p/6') ?? '';
    expect(text).toContain('Price');
    expect(text).not.toContain('Onward');
  });

  test('stays in a line that has other words, beside the text, too', async () => {
    const pages = siteOf(16, (at) =>
      plainPage(at, {
        top: `${neighbours(at)}<div><span>edible plant of land </span><span>${FRUITS[at]} tree</span></div>`,
      }),
    );
    await using test = openTestContext();
    expect((await textsOf(test, pages)).get('/p/6')).toMatch(/^edible plant of land grape tree/);
  });

  test('does not take the title with it when the page has that nowhere else', async () => {
    const names = FRUITS.map((fruit) => `Growing a ${fruit}`);
    const titled = (at: number, title: string): string => {
      const top = `<div><div><a href="/">Start</a> | <a href="/all">All fruits</a></div><div>${names[at]}</div></div>`;
      const text = `<p>${story(FRUITS[at] ?? '')}</p>`.repeat(2);
      return plainPage(at, { top, text }).replace(/<title>\w+/, `<title>${title}`);
    };
    await using test = openTestContext();
    const texts = await textsOf(
      test,
      siteOf(12, (at) => titled(at, `Garden: ${names[at]}`)),
    );
    expect(texts.get('/p/6')).toMatch(/^Growing a grape\n\n/);
    await using other = openTestContext();
    const untitled = await textsOf(
      other,
      siteOf(12, (at) => titled(at, 'Garden')),
    );
    expect(untitled.get('/p/6')).not.toContain('Growing');
  });

  test('is removed within the text when it is a list of links on half of all pages', async () => {
    const languages = `<p>Other languages: <a href="/de/">de</a> | <a href="/fr/">fr</a> | <a href="/ko/">ko</a></p>`;
    const pages = siteOf(16, (at) =>
      plainPage(at, {
        text: `<h2>About the ${FRUITS[at]}</h2><p>${story(FRUITS[at] ?? '')}</p>${languages}<p>${story(FRUITS[at] ?? '')} That is all.</p>`,
      }),
    );
    await using test = openTestContext();
    const text = (await textsOf(test, pages)).get('/p/9') ?? '';
    expect(text).not.toContain('languages');
    expect(text).toContain('That is all.');
  });

  test('is kept once when it is a longer notice', async () => {
    const notice =
      'All pictures on these pages may be used by anybody for any purpose as long as the name of their painter is told.';
    const pages = siteOf(12, (at) => plainPage(at, { bottom: `<div>${notice}</div>` }));
    await using test = openTestContext();
    const texts = [...(await textsOf(test, pages)).values()];
    expect(texts.filter((text) => text.includes('painter'))).toHaveLength(1);
  });

  test('is kept on a page that has nothing else', async () => {
    const list = `<div><a href="/">Start</a> <a href="/terms">Terms</a> <a href="/us">Who we are</a></div>`;
    const pages = siteOf(12, (at) =>
      plainPage(at, { bottom: list, ...(at === 4 && { text: '' }) }),
    );
    await using test = openTestContext();
    expect((await textsOf(test, pages)).get('/p/4')).toContain('Who we are');
  });
});

describe('over several runs', () => {
  const framed = (at: number): string => plainPage(at, { top: neighbours(at) });

  test('an unchanged page counts as unchanged, although its bytes differ each time', async () => {
    let visits = 0;
    const pages = siteOf(12, framed);
    await using site = await startSite({});
    site.fault = ({ url }) => {
      visits += 1;
      const body = pages[url.pathname];
      if (typeof body !== 'string') return null;
      return {
        kind: 'status',
        status: 200,
        headers: { 'content-type': 'text/html' },
        body: body.replace('<head>', `<head><meta name="token" content="${visits}">`),
      };
    };
    await using test = openTestContext();
    const first = await crawl(test, { base_url: site.url });
    expect(first.documents).toHaveLength(13);
    const second = await crawl(test, { base_url: site.url });
    expect(second.documents).toEqual([]);
    expect(second.unchanged).toHaveLength(13);
  });

  test('pages read while the site was small are read again once its repeated content is known', async () => {
    const pages = siteOf(4, framed);
    for (let at = 4; at < 12; at += 1) pages[`/p/${at}`] = { status: 404 };
    await using site = await startSite(pages);
    await using test = openTestContext();
    const first = await crawl(test, { base_url: site.url });
    expect(first.documents.every(({ sections }) => sections[0]?.text.includes('Onward'))).toBe(
      true,
    );
    Object.assign(pages, siteOf(12, framed));
    // Pages visited before the others were known need a second look.
    const runs = [
      await crawl(test, { base_url: site.url }),
      await crawl(test, { base_url: site.url }),
    ];
    const last = new Map(
      runs.flatMap(({ documents }) => documents.map(({ id, sections }) => [id, sections[0]?.text])),
    );
    expect(last.size).toBe(13);
    for (const text of last.values()) expect(text).not.toContain('Onward');
    expect((await crawl(test, { base_url: site.url })).documents).toEqual([]);
  });

  test('an interrupted crawl continues with what it has learned', async () => {
    const many = Array.from({ length: 70 }, (_, at) => at);
    const pages: Record<string, string> = {
      '/': `<body>${many.map((at) => `<a href="/p/${at}">${at}</a>`).join(' ')}</body>`,
    };
    for (const at of many) {
      const text = `<h2>Part ${String.fromCharCode(65 + (at % 26)).repeat(3 + at)}</h2><p>${story(FRUITS[at % 20] ?? '')}</p>`;
      pages[`/p/${at}`] = plainPage(at % 20, { top: neighbours(at % 20), text });
    }
    await using site = await startSite(pages);
    await using whole = openTestContext();
    const steps: ConnectorPage<unknown>[] = await collectPages(poll(whole, { base_url: site.url }));
    await using resumed = openTestContext();
    for (const entry of steps[0]?.memory ?? []) resumed.memory.set(entry.key, entry);
    const rest = await collectPages(
      poll(resumed, { base_url: site.url }, steps[0]?.checkpoint),
      resumed,
    );
    const textOf = (some: ConnectorPage<unknown>[]): unknown[] =>
      some.flatMap(({ documents }) => documents.map(({ id, sections }) => [id, sections[0]?.text]));
    expect(textOf(rest)).toEqual(textOf(steps.slice(1)));
    expect(JSON.stringify(textOf(rest))).not.toContain('Onward');
  });
});
