/** Saves rows as a CSV file (RFC 4180), for a spreadsheet. */
export function saveCsv(
  name: string,
  columns: readonly string[],
  rows: readonly (readonly string[])[],
): void {
  const address = URL.createObjectURL(
    new Blob([csvText([columns, ...rows])], { type: 'text/csv' }),
  );
  const anchor = document.createElement('a');
  anchor.href = address;
  anchor.download = name;
  anchor.click();
  URL.revokeObjectURL(address);
}

/** Excel and others run a cell that begins like a formula: such a cell gets an apostrophe, which they do not show. */
export function csvText(rows: readonly (readonly string[])[]): string {
  const cell = (text: string): string => {
    const safe = /^[=+\-@\t\r]/.test(text) ? `'${text}` : text;
    return `"${safe.replaceAll('"', '""')}"`;
  };
  return rows.map((row) => `${row.map(cell).join(',')}\r\n`).join('');
}
