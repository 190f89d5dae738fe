const UUID = /^[0-9a-f]{8}(?:-[0-9a-f]{4}){3}-[0-9a-f]{12}$/i;

/** Whether Postgres can look up the id in a column of type `uuid`; it refuses other texts with an error. */
export function isUuid(text: string): boolean {
  return UUID.test(text);
}
