/** Every 4xx except the temporary ones: 408, 425 and 429. */
export const CLIENT_ERRORS: readonly number[] = Array.from(
  { length: 52 },
  (_, index) => 400 + index,
).filter((status) => ![408, 425, 429].includes(status));
