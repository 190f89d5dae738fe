import { on, once } from 'node:events';
import { Worker } from 'node:worker_threads';
import { afterAll, describe, expect, it } from 'vitest';

/**
 * Converters run in the thread that every workspace shares. Reading a megabyte once takes far less than a second of CPU
 * time; quadratic work takes minutes.
 */
const MOST_CPU_MS = 10_000;
/** A thread stuck in a pattern does not end by itself. */
const GIVE_UP_MS = 120_000;
const SRC = new URL('../../../src/', import.meta.url).href;

const THREAD = `
  const { parentPort, workerData } = require('node:worker_threads');
  const AsyncFunction = (async () => {}).constructor;
  const src = (path) => import(workerData.src + path);
  parentPort.on('message', async ({ prepare, input }) => {
    const run = await new AsyncFunction('src', 'input', prepare)(src, input);
    parentPort.postMessage('begun');
    const start = process.threadCpuUsage();
    let failure = null;
    try { await run(); } catch (error) { failure = error.name + ': ' + error.message; }
    const { user, system } = process.threadCpuUsage(start);
    parentPort.postMessage({ cpuMs: (user + system) / 1_000, failure });
  });`;

/** One thread for all cases, because starting it and importing the converters takes longer than most of them. */
let thread: Worker | null = null;

function startThread(): Worker {
  const resourceLimits = { maxOldGenerationSizeMb: 512 };
  return new Worker(THREAD, { eval: true, resourceLimits, workerData: { src: SRC } });
}

async function endThread(): Promise<void> {
  await thread?.terminate();
  thread = null;
}

afterAll(endThread);

/** @param prepare the body of a function of `src` and `input` that returns the function to be timed */
async function timed(
  prepare: string,
  input: string,
): Promise<{ cpuMs: number; failure: string | null }> {
  thread ??= startThread();
  try {
    // Listens before the first message, because the second may follow in the same turn.
    const messages = on(thread, 'message');
    thread.postMessage({ prepare, input });
    await messages.next();
    const late = AbortSignal.timeout(GIVE_UP_MS);
    const expired = once(late, 'abort').then(() => {
      throw new Error(`Not done after ${GIVE_UP_MS} ms.`);
    });
    const { value } = await Promise.race([messages.next(), expired]);
    await messages.return?.();
    const [result] = value ?? [];
    return result;
  } catch (error) {
    // It may be stuck, or have run out of memory.
    await endThread();
    throw error;
  }
}

const MEGABYTE = 1_000_000;
const fill = (part: string, length = MEGABYTE): string =>
  part.repeat(Math.floor(length / part.length));
const distinctBold = Array.from({ length: 300 }, (_, index) => `<b a=${index}>`).join('');

const PAGE = `const { openPage } = await src('files/open-page.ts');
  const { extractPage } = await src('connectors/kinds/web/extract-page.ts');
  return () => extractPage(openPage(input), 'title', { mintlifyCleanup: true });`;
const DIRECTIONS = `const { openPage } = await src('files/open-page.ts');
  const { readDirections } = await src('connectors/kinds/web/page-links.ts');
  return () => readDirections(openPage(input), 'https://example.com/', null, true);`;
const GITLAB = `const { openGitlab } = await src('connectors/kinds/gitlab/gitlab-api.ts');
  return () => openGitlab({ withHabits() {} }, { gitlab_url: input, gitlab_access_token: 'a' });`;
const GITHUB = `const { githubApiBase } = await src('connectors/kinds/github/github-api.ts');
  return () => githubApiBase(input, 'https://api.github.com');`;
const BASE_URL = `const { addressKey, readBaseUrl, scopeOf } = await src('connectors/kinds/web/page-address.ts');
  return () => [scopeOf(readBaseUrl(input)), addressKey(input)];`;
const MARKDOWN = `const { htmlToMarkdown } = await src('files/html-to-markdown.ts');
  return () => htmlToMarkdown(input);`;
const FEED = `const { readFeed } = await src('connectors/kinds/rss/read-feed.ts');
  return () => readFeed(input, 'https://example.com/feed');`;
const KIND = `const { kindOfAnswer } = await src('connectors/kinds/web/page-kind.ts');
  return () => kindOfAnswer(new URL('https://example.com/a'), '', Buffer.from(input));`;
const FILE_KIND = `const { detectKind } = await src('files/detect-kind.ts');
  return () => detectKind({ name: 'a', bytes: Buffer.from(input) });`;
const SITEMAP = `const { readSitemap } = await src('connectors/kinds/web/read-sitemap.ts');
  return () => readSitemap(Buffer.from(input), 'sitemap.xml');`;
const MESSAGE = `const { findMessage } = await src('connectors/source/source-message.ts');
  return () => findMessage({ bytes: Buffer.from(input) });`;
const WIKI = `const { wikiMarkupToMarkdown } = await src('connectors/kinds/tracker/wiki-markup-to-markdown.ts');
  return () => wikiMarkupToMarkdown(input);`;
const STORAGE = `const { storageToMarkdown } = await src('connectors/kinds/confluence/storage-format.ts');
  return () => storageToMarkdown(input);`;
const ADF = `const { adfToMarkdown } = await src('connectors/kinds/tracker/adf-to-markdown.ts');
  const text = [{ type: 'text', text: input }];
  const code = { type: 'codeBlock', content: text };
  const cell = { type: 'tableCell', content: [code] };
  const table = { type: 'table', content: [{ type: 'tableRow', content: [cell] }] };
  return () => adfToMarkdown({ type: 'doc', content: [code, table] });`;
const DEEP_ADF = `const { adfToMarkdown } = await src('connectors/kinds/tracker/adf-to-markdown.ts');
  let node = { type: 'paragraph' };
  for (let depth = 0; depth < input.length; depth += 1) node = { type: 'panel', content: [node] };
  return () => adfToMarkdown({ type: 'doc', content: [node] });`;
const NOTION = `const { renderBlocks } = await src('connectors/kinds/notion/notion-text.ts');
  const content = { rich_text: [{ plain_text: input, href: null }] };
  return () => renderBlocks([{ id: 'a', type: 'code', content, children: [] }]);`;
const SLACK = `const { renderMrkdwn, mentionedUsers } = await src('connectors/kinds/slack/slack-mrkdwn.ts');
  const names = { user: () => null, channel: () => null };
  return () => [mentionedUsers(input), renderMrkdwn(input, names)];`;

const ROBOTS = `const { openRobots } = await src('connectors/kinds/web/read-robots.ts');
  const send = async () => ({ status: 200, bytes: Buffer.from(input) });
  const robots = openRobots({ http: { send } }, true);
  return async () => {
    const isAllowed = await robots.isAllowed('https://example.com/' + 'a'.repeat(1900));
    if (isAllowed) throw new Error('A forbidden page is allowed.');
  };`;

const QUICK: [what: string, prepare: string, input: string][] = [
  [
    'wildcards in robots.txt',
    ROBOTS,
    `User-agent: *\n${fill(`Disallow: /${'*a'.repeat(30)}*b\n`, 400_000)}Disallow: /a*a\n`,
  ],
  ['comments before something that is not a page', KIND, `${fill('<!---->', 1_000)}x`],
  ['comments before something that is not a known file', FILE_KIND, `${fill('<!---->', 1_000)}x`],
  ['comments after a feed', FEED, `<rss></rss>${fill('<!---->', 1_400)}x`],
  ['comments that start in a feed', FEED, fill('</rss><!--')],
  ['spaces after a feed', FEED, `<rss></rss>${fill(' ')}x`],
  ['tombstones without an end', FEED, `<feed>${fill('<at:deleted-entry ref=')}</feed>`],
  ['tombstones with an unclosed quote', FEED, `<feed>${fill('<at:deleted-entry ref="')}</feed>`],
  [
    'tags without an end in an item',
    FEED,
    `<rss version="2.0"><channel><item><description><![CDATA[${fill('<a ')}]]></description></item></channel></rss>`,
  ],
  [
    'a title of nested tags',
    FEED,
    `<rss version="2.0"><channel><item><title><![CDATA[${fill('<div>')}]]></title></item></channel></rss>`,
  ],
  [
    'an item that multiplies',
    FEED,
    `<rss version="2.0"><channel><item><description><![CDATA[<p>${distinctBold}</p>${fill('<p>x', 90_000)}]]></description></item></channel></rss>`,
  ],
  ['a page that multiplies when it is repaired', PAGE, `<p>${distinctBold}</p>${fill('<p>x')}`],
  ['spaces before a refresh', DIRECTIONS, `<meta http-equiv=refresh content="${fill(' ')}">`],
  ['slashes within an address', BASE_URL, `https://a.example/${fill('/')}a`],
  ['slashes within the address of GitLab', GITLAB, `https://a.example/${fill('/')}a`],
  ['slashes within the address of GitHub', GITHUB, `https://a.example/${fill('/')}a`],
  ['nested boxes', PAGE, fill('<div>')],
  ['nested boxes closed by others', PAGE, fill('<span><div></span></div>')],
  ['nested lists', PAGE, fill('<ul><li>')],
  ['nested tables', PAGE, fill('<table><tr><td>')],
  ['nested quotes', PAGE, fill('<blockquote>')],
  ['boxes named like menus', PAGE, fill('<div class="nav"><a href=b>c</a>')],
  ['spaces within code', MARKDOWN, `<pre>a${fill(' ')}b</pre>`],
  ['spaces within a cell', MARKDOWN, `<table><tr><td><pre>a${fill(' ')}b</pre></td></tr></table>`],
  ['non-breaking spaces', MARKDOWN, `<p>a${fill('\u00a0', 300_000)}b</p>`],
  ['a long table', MARKDOWN, `<table>${fill('<tr><td>a</td></tr>', 500_000)}</table>`],
  [
    'a cell spanning a billion columns',
    MARKDOWN,
    fill('<table><tr><td colspan=1000000000>a</td></tr></table>', 4_000),
  ],
  [
    'a cell spanning a billion rows',
    MARKDOWN,
    fill('<table><tr><td rowspan=1000000000>a</td></tr></table>', 4_000),
  ],
  [
    'rows of wide cells',
    MARKDOWN,
    `<table>${fill('<tr><td colspan=1000>a</td></tr>', 200_000)}</table>`,
  ],
  ['spaces from many elements', MARKDOWN, `<p>a${fill('<i> </i>')}b</p>`],
  ['blank lines within code', MARKDOWN, `<pre>a${fill('\n')}b</pre>`],
  ['fences within code', MARKDOWN, `<pre>${fill('```\n')}</pre>`],
  ['unclosed tags in a sitemap', SITEMAP, fill('<urlset ')],
  ['unclosed tags in an error message', MESSAGE, fill('<title ', 64_000)],
  ['braces in wiki markup', WIKI, fill('{')],
  ['brackets in wiki markup', WIKI, fill('[a|')],
  ['images in wiki markup', WIKI, fill('!a.')],
  ['bars in wiki markup', WIKI, fill('|')],
  ['macros without an end in wiki markup', WIKI, fill('{code:a}\n')],
  ['tags without an end in the storage format', STORAGE, fill('<ac:"')],
  ['CDATA without an end in the storage format', STORAGE, fill('<![CDATA[')],
  ['spaces in ADF', ADF, `a${fill(' ')}b`],
  ['fences in ADF', ADF, fill('```\n')],
  ['ADF nested a hundred thousand deep', DEEP_ADF, 'x'.repeat(100_000)],
  ['fences in a Notion block', NOTION, fill('`a')],
  ['unclosed tokens in a Slack message', SLACK, fill('<@U')],
];

describe('one megabyte for each converter', () => {
  it.each(QUICK)('takes little time: %s', async (_, prepare, input) => {
    const { cpuMs, failure } = await timed(prepare, input);
    expect(cpuMs).toBeLessThan(MOST_CPU_MS);
    // A refusal is fine, a stack overflow is not.
    expect(failure ?? '').not.toMatch(/call stack|is allowed/);
  });
});
