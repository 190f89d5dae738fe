import { readdirSync, readFileSync } from 'node:fs';
import { startChildMillrace } from './child-millrace.ts';
import { PUSHES, timePush } from './push-documents.ts';
import { createDocuments } from './synthetic-documents.ts';
const n = Number(process.argv[2] ?? 1000), bytes = Number(process.argv[3] ?? 4000);
await using t = await startChildMillrace((process.argv[5] ?? 'src/main.ts') as 'src/main.ts');
function pgCpu(): Record<string, number> {
  const out: Record<string, number> = {};
  for (const pid of readdirSync('/proc')) {
    if (!/^\d+$/.test(pid)) continue;
    try {
      const cmd = readFileSync(`/proc/${pid}/cmdline`, 'utf8');
      if (!cmd.startsWith('postgres: ')) continue;
      const m = /millrace_test_\w+/.exec(cmd)?.[0] ?? (cmd.includes('checkpointer') || cmd.includes('walwriter') || cmd.includes('background') ? 'bg' : 'x');
      const f = readFileSync(`/proc/${pid}/stat`, 'utf8').split(') ')[1]!.split(' ');
      out[m] = (out[m] ?? 0) + (Number(f[11]) + Number(f[12])) / 100;
    } catch {}
  }
  return out;
}
const way = process.argv[4] ?? 'batches of 100';
const push = PUSHES[way]!;
if (process.argv[5]) { const items = createDocuments(n, bytes).map(x=>JSON.stringify(x)); await push(t, createDocuments(200, bytes, { idPrefix: 'w', seed: 7 }).map(x=>JSON.stringify(x)));
 const b = await t.usage(); const p = pgCpu(); const s = performance.now(); await push(t, items); const sec=(performance.now()-s)/1000; const a = await t.usage(); const q = pgCpu();
 const pg = Math.max(...Object.keys(q).filter(k=>k.startsWith('mill')).map(k => q[k]! - (p[k] ?? 0)));
 console.log('accept', Math.round(n/sec), 'cpu child', (a.cpuSeconds-b.cpuSeconds).toFixed(2), 'pg', pg.toFixed(2)); process.exit(0); }
await timePush(t, createDocuments(200, bytes, { idPrefix: 'w', seed: 7 }), push);
const b = await t.usage(); const p = pgCpu();
const r = await timePush(t, createDocuments(n, bytes), push);
const a = await t.usage(); const q = pgCpu();
const pg = Math.max(...Object.keys(q).filter(k => k.startsWith('mill')).map(k => q[k]! - (p[k] ?? 0)));
const k = n / 1000;
console.log('accept', Math.round(n / r.acceptSeconds), 'indexed', Math.round(n / r.indexedSeconds), 'per 1000 docs: child cpu', ((a.cpuSeconds - b.cpuSeconds)/k).toFixed(2), 'pg cpu', (pg/k).toFixed(2), 'bg', (((q['bg']??0)-(p['bg']??0))/k).toFixed(2), 'rss', Math.round(a.peakRssMb));
