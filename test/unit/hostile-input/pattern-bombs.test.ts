import { describe, expect, it } from 'vitest';
import { NameAllocator } from '#src/chat/custom-tools/tool-names.ts';
import { splitUnits } from '#src/chat/extract/split-units.ts';
import { enclose } from '#src/chat/research/prompts.ts';
import { toPageUrls } from '#src/chat/search/read-web-pages.ts';
import type { ConnectorContext } from '#src/connectors/source/connector.ts';
import type { DriveApi } from '#src/connectors/kinds/google-drive/drive-api.ts';
import { readContent } from '#src/connectors/kinds/google-drive/drive-content.ts';
import { nextPage } from '#src/connectors/source/next-page.ts';
import { tokenize } from '#src/documents/tokenize.ts';
import { htmlToMarkdown } from '#src/files/html-to-markdown.ts';
import { organizationKey } from '#src/leads/extract/organization-key.ts';
import { cpuMsOf } from '#test/support/cpu-ms.ts';

/** Each of these takes far less than a second; with a backtracking pattern it took from ten seconds to minutes. */
const MOST_CPU_MS = 5_000;
/** Marks that normalization reorders: those below the letter come before those above it. */
const MARKS = `${'\u0301'.repeat(50_000)}${'\u0323'.repeat(50_000)}`;

const LONG = 'a'.repeat(2_000_000);

const many = (part: string, times = 150_000): string => part.repeat(times);
const cell = (html: string): string =>
  `<table><tr><th>a</th><td>${html}</td></tr><tr><td>a</td><td>b</td></tr></table>`;

const BOMBS: [what: string, run: () => unknown][] = [
  ['marks on a letter of a question', () => tokenize(`a${MARKS}`)],
  ['marks on a letter of a name', () => organizationKey(`a${MARKS}`)],
  ['marks on a letter of a tool name', () => new NameAllocator().allocate(`a${MARKS}`)],
  ['underscores in a tool name', () => new NameAllocator().allocate(`a${many('_')}b`)],
  ['brackets around an address', () => toPageUrls([`a${many('>')}b`])],
  ['spaces after an angle bracket', () => enclose('report', `<${many(' ')}a`)],
  ['hashes within a heading', () => splitUnits(`# a${many('#')}b`)],
  ['spaces after a line with a bar', () => splitUnits(`a|\n${many(' ')}b`)],
  ['comments that never end', () => splitUnits(many('<!--', 100_000))],
  ['spaces within a Link header', () => nextLinkOf(`<https://a.example/>; rel=${many(' ')}a`)],
  ['line separators in code', () => htmlToMarkdown(`<pre>a${many('\u2028')}b</pre>`)],
  ['lines of code in boxes', () => htmlToMarkdown(`<pre>${LONG}${many('<p>a</p>', 20_000)}</pre>`)],
  ['superscript numbers', () => htmlToMarkdown(`<p>${LONG}${many('<sup>1</sup>', 20_000)}</p>`)],
  ['fences in a cell', () => htmlToMarkdown(cell(`<dl><dt><pre>${many('`')}</pre>a</dt></dl>`))],
];

function nextLinkOf(link: string): unknown {
  return nextPage(new Headers({ link }));
}

describe('text that makes patterns backtrack', () => {
  it.each(BOMBS)('takes little time: %s', (_, run) => {
    expect(cpuMsOf(run)).toBeLessThan(MOST_CPU_MS);
  });

  it('takes little time: images that never end', async () => {
    const { markdown, cpuMs } = await exported(many('![', 5_000_000));
    expect(cpuMs).toBeLessThan(MOST_CPU_MS);
    expect(markdown).toHaveLength(10_000_000);
  });
});

describe('the replaced patterns', () => {
  it('count the first marks of a letter', () => {
    expect(tokenize('Cafe\u0301')).toEqual(tokenize('caf\u00e9'));
    expect(tokenize(`a${'\u0301'.repeat(1_000)}b`)).toEqual(tokenize(`a${'\u0301'.repeat(30)}b`));
  });

  it('strip what surrounds an address', () => {
    expect(toPageUrls(['<https://a.example/b>', '`a.example/c`', '"\'<'])).toEqual([
      'https://a.example/b',
      'https://a.example/c',
      'https://',
    ]);
  });

  it('escape our own tags, whatever spaces they contain', () => {
    const tags = ['<report>', '</report>', '< / report>', '< /report>', '</ report>', '< report>'];
    expect(enclose('report', tags.join('<b>')).match(/&lt;/g)).toHaveLength(tags.length);
  });

  it.each([
    ['# A heading', 'A heading'],
    ['## A heading ##', 'A heading'],
    ['# C#', 'C'],
    ['#  ', ''],
    ['# A #  ', 'A #'],
  ])('recognize %j as a heading', (line, heading) => {
    expect(splitUnits(`${line}\nWords below it.`)).toMatchObject([
      { kind: 'sentence', text: 'Words below it.', heading },
    ]);
  });

  it.each(['|---|---|', '---|---', ' | :-- | --: | ', '- | -|'])(
    'recognize %j as the line below a table header',
    (line) => {
      const table = `a | b\n${line}\n1 | 2`;
      expect(splitUnits(table)).toMatchObject([{ kind: 'block', text: table, heading: '' }]);
    },
  );

  it('remove only complete comments', () => {
    const [unit] = splitUnits('One <!-- a <!-- b -->two <!---->three <!-- four');
    expect(unit?.text).toBe('One two three <!-- four');
  });

  it('recognize the next page by its link relation', () => {
    const next = (relation: string): unknown =>
      nextLinkOf(`<https://a.example/?page=2>${relation}`);
    for (const relation of ['; rel="next"', ';rel=next', '; rel = "last next"', '; REL= next'])
      expect(next(relation), relation).toEqual({ page: '2' });
    for (const relation of ['; rel="prev"', '; rel="nextish"', '; title="a"; next'])
      expect(next(relation), relation).toBeNull();
  });

  it('mark a superscript only after a word', () => {
    expect(htmlToMarkdown('<p>10<sup>6</sup> <b>m</b><sup>2</sup> a <sup>3</sup></p>')).toBe(
      '10^6 **m**2 a 3',
    );
  });

  it('start each box in code on its own line', () => {
    const code = 'a<p>b</p><i></i><p>c\n</p><br>d<div></div>e';
    expect(htmlToMarkdown(`<pre>${code}</pre>`)).toBe('```\na\nb\nc\n\nd\ne\n```');
  });

  it('turn code in a cell into a span', () => {
    expect(htmlToMarkdown(cell('<pre>a`b</pre>'))).toContain('`a`b`');
    expect(htmlToMarkdown(cell('<pre>```\na</pre>'))).toContain('```` a`');
  });

  it('remove images and keep their text', async () => {
    const { markdown } = await exported(
      'a ![b [c](data:image/png;base64,AA) ![d][image1]\n[image1]: <data:image/png;base64,AA>',
    );
    expect(markdown).toBe('a b [c d\n');
  });
});

/** The text read from a Google document whose export is `text`. */
async function exported(text: string): Promise<{ markdown: string; cpuMs: number }> {
  const bytes = Buffer.from(text);
  const headers = new Headers({ 'content-type': 'text/markdown' });
  // The function uses nothing else of the two.
  const api = {
    bytes: async () => ({ status: 200, headers, bytes, text: () => text }),
  } as unknown as DriveApi;
  let markdown = '';
  const context = {
    parse: async (file: { bytes: Uint8Array }) => {
      markdown = Buffer.from(file.bytes).toString();
      return { title: '', sections: [], metadata: {} };
    },
  } as unknown as ConnectorContext;
  const file = { id: 'a', name: 'a', mimeType: 'application/vnd.google-apps.document' };
  const start = process.threadCpuUsage();
  await readContent(file, null, api, context);
  const { user, system } = process.threadCpuUsage(start);
  return { markdown, cpuMs: (user + system) / 1_000 };
}
