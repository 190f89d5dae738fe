import { load } from 'cheerio';
import { load as slim } from 'cheerio/slim';
import { pageOf } from '/tmp/webperf/gen.ts';
const pages = Array.from({ length: 100 }, (_, i) => pageOf(i, 500));
for (const [n, f] of [['parse5', (h: string) => load(h)], ['slim', (h: string) => slim(h, { xml: { xmlMode: false } })]] as const) {
  for (const h of pages) f(h);
  const a = performance.now(); for (const h of pages) f(h); for (const h of pages) f(h);
  console.log(n, ((performance.now() - a) / 200).toFixed(2), 'ms/page');
}
const deep = '<html><body>' + '<div>'.repeat(40_000) + 'x';
let a = performance.now(); slim(deep, { xml: { xmlMode: false } }); console.log('deep slim', performance.now() - a);
a = performance.now(); load(deep); console.log('deep 40k parse5', performance.now() - a);
