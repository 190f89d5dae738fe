import { call } from '#src/console/web/data/call.ts';
import { go } from '#src/console/web/data/place.ts';
import { enter } from '#src/console/web/data/session.ts';
import { refresh, useResource } from '#src/console/web/data/store.ts';
import { type Field, form } from '#src/console/web/parts/form.ts';
import { html, type Part } from '#src/console/web/parts/html.ts';
import { known, notice } from '#src/console/web/parts/page.ts';
import { door, takeToken } from './door.ts';
import { newPersonFields } from './new-person.ts';

/** The first start: the owner link makes the first account. */
export function Welcome(): Part {
  const token = takeToken();
  const options = useResource('GET /session/sign-in-options');
  if (token === null) {
    return door({
      title: 'Welcome',
      content: notice(
        'amber',
        html`This address needs the token of the owner link. Open the link as the service printed
          it, or run <code>npx millrace owner-link</code> for a new one.`,
      ),
    });
  }
  return door({
    title: 'Welcome',
    about: 'Make the owner’s account. It may do everything, in this workspace and in operations.',
    content: known(
      options,
      ({ has_owner: hasOwner }) => html`<${OwnerForm} ...${{ token, hasOwner }} />`,
      () => refresh('GET /session/sign-in-options'),
    ),
  });
}

/** The first owner names the workspace; later ones find it named. */
function OwnerForm({ token, hasOwner }: { token: string; hasOwner: boolean }): Part {
  return form({
    look: 'left',
    action: 'Make the account',
    fields: [...(hasOwner ? [] : [WORKSPACE_FIELD]), ...newPersonFields({ withEmail: true })],
    submit: async ({ name, email, password, workspace_name: workspace }) => {
      const body = {
        token,
        name: String(name),
        email: String(email),
        password: String(password),
        ...(typeof workspace === 'string' && { workspace_name: workspace }),
      };
      enter(await call('POST /session/owner', { body }));
      go('/', { replace: true });
    },
  });
}

const WORKSPACE_FIELD: Field = {
  name: 'workspace_name',
  label: 'Name of the workspace',
  kind: 'text',
  isRequired: true,
  maxLength: 100,
  placeholder: 'Mill & Sons',
  help: 'Such as your organisation. It can be changed later, under Members.',
};
