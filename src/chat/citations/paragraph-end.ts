/** Patterns that end a paragraph and every inline element in it. */
export const BLANK_LINE = String.raw`\n[ \t>]*\n`;
export const BLOCK = String.raw`${BLANK_LINE}|\n[ \t>]*(?:\`{3,}|~{3,}|#{1,6}[ \t]|[-*+][ \t]|\d{1,9}[.)][ \t]|(?:\*{3,}|-{3,}|_{3,}|={3,})[ \t]*\n)`;
