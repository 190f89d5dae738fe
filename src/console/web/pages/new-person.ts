import { useResource } from '#src/console/web/data/store.ts';
import type { Field } from '#src/console/web/parts/form.ts';

const SHORTEST_PASSWORD = 10;

/** What a new account needs. */
export function newPersonFields({ withEmail }: { withEmail: boolean }): Field[] {
  const { data } = useResource('GET /session/sign-in-options');
  const minLength = data?.password_min_length ?? SHORTEST_PASSWORD;
  const email: Field = {
    name: 'email',
    label: 'E-mail address',
    kind: 'email',
    isRequired: true,
    autocomplete: 'username',
  };
  return [
    { name: 'name', label: 'Your name', kind: 'text', isRequired: true, autocomplete: 'name' },
    ...(withEmail ? [email] : []),
    newPasswordField('password', minLength),
  ];
}

export function newPasswordField(name: string, minLength: number = SHORTEST_PASSWORD): Field {
  return {
    name,
    label: name === 'password' ? 'Password' : 'New password',
    kind: 'password',
    isRequired: true,
    minLength,
    autocomplete: 'new-password',
    help: `At least ${minLength} characters.`,
  };
}
