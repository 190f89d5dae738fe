import { createDocuments } from './synthetic-documents.ts';
import { prepareDocument } from '#src/documents/prepare-document.ts';
import { embedText } from '#src/documents/embed-builtin.ts';
import { chunkDocument } from '#src/documents/chunk-text.ts';
import { tokenize } from '#src/documents/tokenize.ts';
const docs = createDocuments(1000, Number(process.argv[2] ?? 4000));
console.log(JSON.stringify(docs[0]).slice(0,600));
const texts = docs.map(d => ({ workspaceId: '00000000-0000-4000-8000-000000000001', title: d.document.semantic_identifier, sections: d.document.sections.map(s=>({text:s.text??'',link:null})), metadata: {} }));
for (let i = 0; i < 3; i++) {
  let t = performance.now();
  const cd = texts.flatMap(t=>chunkDocument(t));
  const tc = performance.now() - t; t = performance.now();
  for (const c of cd) tokenize(c.indexedText);
  const tt = performance.now() - t; t = performance.now();
  const prepared = texts.map(prepareDocument);
  const tp = performance.now() - t; t = performance.now();
  const chunks = prepared.flatMap(p => 'chunks' in p ? p.chunks : []);
  for (const c of chunks) embedText(c.indexedText, 1024);
  const te = performance.now() - t; t = performance.now();
  const cl = structuredClone(prepared);
  const ts = performance.now() - t;
  console.log({ chunks: chunks.length, terms: chunks.reduce((s,c)=>s+c.termIds.length,0)/chunks.length, chunkMs: tc, tokenizeMs: tt, prepareMs: tp, embedMs: te, cloneMs: ts, docsPerS: 1000/(tp+te)*1000 });
}
