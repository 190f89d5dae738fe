const GROUPED = /(?<![\p{L}\d.,])[1-9]\d{0,2}(?:,\d{3})+(?![\d,])/gu;

/** A text with its numbers as they are compared: 1,000 is 1000. */
export function ungroupNumbers(text: string): string {
  return text.replaceAll(GROUPED, (number) => number.replaceAll(',', ''));
}
