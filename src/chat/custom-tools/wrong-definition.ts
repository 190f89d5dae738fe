import { Problem } from '#src/platform/errors.ts';

/** @param place a path in the document such as `paths./orders.get`; '' for the document itself */
export function wrongDefinition(place: string, sentence: string): Problem {
  const where = place === '' ? 'body.definition' : `body.definition.${place.slice(0, 300)}`;
  return new Problem('BAD_REQUEST', `${where}: ${sentence}.`);
}
