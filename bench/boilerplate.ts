import { existsSync } from 'node:fs';
import { readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { load } from 'cheerio';
import { web } from '#src/connectors/kinds/web/web.ts';
import { compareWords, wordsOf } from '#test/support/compare-words.ts';
import { collectPages, openTestContext } from '#test/support/connector-context.ts';
import type { BenchOptions } from './bench-options.ts';
import { type Generator, GENERATORS } from './documentation-generators.ts';
import { serveDocumentation } from './documentation-site.ts';

const PAGES = 400;

interface Row {
  pages: number;
  'kept %': number;
  'leaked %': number;
  'pages that leak': number;
  'kept %, anonymous': number;
  'leaked %, anonymous': number;
}

/**
 * Measures the web connector on the output of documentation generators: how many of the words that readers want it
 * keeps, and how much of what it keeps is boilerplate. Runs on the pages as generated, and again with all class names,
 * ids and roles removed.
 */
export async function boilerplate(options: BenchOptions): Promise<void> {
  const table: Record<string, Row> = {};
  for (const generator of GENERATORS) {
    if (!existsSync(join(generator.folder, generator.start))) {
      console.log(`${generator.name} left out: install the Debian package ${generator.package}.`);
      continue;
    }
    const count = options.documents ?? PAGES;
    const named = await measure(generator, count, { anonymous: false }, options.verbose);
    const anonymous = await measure(generator, count, { anonymous: true }, options.verbose);
    table[generator.name] = {
      pages: named.pages,
      'kept %': percent(named.kept / named.wanted),
      'leaked %': percent(named.leaked / named.got),
      'pages that leak': named.leaking,
      'kept %, anonymous': percent(anonymous.kept / anonymous.wanted),
      'leaked %, anonymous': percent(anonymous.leaked / anonymous.got),
    };
  }
  console.table(table);
}

interface Measure {
  pages: number;
  wanted: number;
  kept: number;
  got: number;
  leaked: number;
  leaking: number;
}

async function measure(
  generator: Generator,
  count: number,
  variant: { anonymous: boolean },
  verbose: boolean,
): Promise<Measure> {
  await using site = await serveDocumentation(generator, variant);
  await using test = openTestContext();
  const settings = web.settings.parse({
    base_url: `${site.url}/${generator.start}`,
    max_pages: count,
  });
  const steps = await collectPages(web.poll(settings, {}, null, test.context), test);
  const total: Measure = { pages: 0, wanted: 0, kept: 0, got: 0, leaked: 0, leaking: 0 };
  for (const { id, sections } of steps.flatMap(({ documents }) => documents)) {
    const path = decodeURIComponent(new URL(id).pathname).replace(/\/$/, '/index.html');
    if (!/\.x?html?$/.test(path)) continue;
    const html = await readFile(join(generator.folder, path), 'utf8').catch(() => null);
    if (html === null) continue;
    const text = sections.map((section) => section.text).join('\n');
    const words = compareWords(text, readOracle(html, generator));
    if (verbose && (words.missing.length > 0 || words.surplus.length > 0)) {
      const sample = (list: string[]): string => `${list.length} ${list.slice(0, 12).join(' ')}`;
      console.log(`${path}  - ${sample(words.missing)}  + ${sample(words.surplus)}`);
    }
    total.pages += 1;
    total.wanted += words.wanted;
    total.kept += words.wanted - words.missing.length;
    total.got += words.got;
    total.leaked += words.surplus.length;
    if (words.surplus.length > 0) total.leaking += 1;
  }
  return total;
}

interface Oracle {
  wanted: string[];
  neutral: string[];
}

function readOracle(html: string, { content, surplus, neutral }: Generator): Oracle {
  const $ = load(html);
  // Otherwise the words of adjacent elements run together.
  $('br, p, div, li, td, th, dt, dd, h1, h2, h3, h4, h5, h6, pre, tr').before(' ').after(' ');
  $('script, style, noscript, template, svg, button, select, textarea, form, iframe').remove();
  if (surplus !== '') $(surplus).remove();
  $('img').each((_, image) => {
    $(image).replaceWith(` ${$(image).attr('alt') ?? ''} `);
  });
  const area = $(content);
  const numbers = area.find('ol > li').map((_, item) => `${$(item).index() + 1}`);
  const isNeutral = neutral === '' ? null : area.find(neutral);
  const spare = [...wordsOf(isNeutral?.text() ?? ''), ...numbers.get()];
  isNeutral?.remove();
  return { wanted: wordsOf(area.text()), neutral: spare };
}

function percent(share: number): number {
  return Math.round(share * 10_000) / 100;
}
