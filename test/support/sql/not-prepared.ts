/** Statements in the source that cannot be prepared, each with the reason. */
export const NOT_PREPARED = new Map([
  [
    "sql`drop index concurrently if exists ${sql.id('public', name)}`",
    'The name comes from the catalog at run time.',
  ],
  [
    "sql`drop index if exists ${sql.id('public', name)}`",
    'The name comes from the catalog at run time.',
  ],
  [
    `sql\`create index concurrently \${sql.id(\`\${INDEX_NAME}_\${from}_\${to}\`)} on public.chunk_vector
    using hnsw (bits bit_hamming_ops)
    where promoted and segment >= \${sql.lit(from)} and segment < \${sql.lit(to)}\``,
    'The column has no dimensions before an embedding model is known.',
  ],
]);
