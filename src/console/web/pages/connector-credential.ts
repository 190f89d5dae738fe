import { call, type Reply } from '#src/console/web/data/call.ts';
import type { Field, Values } from '#src/console/web/parts/form.ts';
import { fieldsOf, objectFrom } from '#src/console/web/parts/schema-fields.ts';
import { type Kind, kindOf } from './connectors.ts';

export type Credential = Reply<'GET /manage/admin/credential'>[number];
type Json = Record<string, unknown>;

/** Where the API's errors say that a credential is. */
const PLACE = 'credential_json';
const CHOICE = 'credential_id';
const NEW = 'new';
const NONE = '0';

/** One that is stored, or one that is not yet. */
export type ChosenCredential = { readonly id: number } | { readonly json: Json };

/** Which credential: one that is stored, a new one with its fields, or none where the kind can do without. */
export function credentialFields(
  kind: Kind,
  credentials: readonly Credential[],
  heading: string = '',
): Field[] {
  const own = fieldsOf(kind.credential, PLACE);
  if (own.length === 0) return [];
  const stored = credentials.filter(
    ({ id, source }) => id !== 0 && kindOf(source, [kind]) !== null,
  );
  const options = [
    ...(kind.needs_credential ? [] : [{ value: NONE, text: 'none' }]),
    ...stored.map(({ id, name }) => ({ value: String(id), text: name ?? `credential ${id}` })),
    { value: NEW, text: 'a new one' },
  ];
  const when = { field: CHOICE, is: NEW };
  return [
    {
      name: CHOICE,
      label: 'Credential',
      kind: 'choice',
      isRequired: true,
      options,
      ...(heading !== '' && { heading }),
    },
    ...own.map((field) => ({ ...field, when })),
  ];
}

export function chosenCredential(kind: Kind, values: Values): ChosenCredential {
  const choice = values[CHOICE];
  if (choice === NEW) return { json: objectFrom(kind.credential, PLACE, values) };
  return { id: Number(choice ?? NONE) };
}

/**
 * Does something with a credential. A new one is stored before, and is deleted again when that fails, so that none is
 * left behind that nobody uses.
 */
export async function withCredential<T>(
  kind: Kind,
  chosen: ChosenCredential,
  name: string,
  work: (id: number) => Promise<T>,
): Promise<T> {
  if ('id' in chosen) return work(chosen.id);
  const { id } = await call('POST /manage/credential', {
    body: { name, source: kind.kind, credential_json: chosen.json },
  });
  try {
    return await work(id);
  } catch (error) {
    await call('DELETE /manage/credential/{id}', { path: { id } }).catch(() => undefined);
    throw error;
  }
}
