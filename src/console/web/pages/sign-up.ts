import { call } from '#src/console/web/data/call.ts';
import { go, link } from '#src/console/web/data/place.ts';
import { enter } from '#src/console/web/data/session.ts';
import { form } from '#src/console/web/parts/form.ts';
import { html, type Part } from '#src/console/web/parts/html.ts';
import { door } from './door.ts';
import { newPersonFields } from './new-person.ts';

/** Where anybody may sign up: an account, and a workspace of its own. */
export function SignUp(): Part {
  return door({
    title: 'Make an account',
    about: 'With a workspace of your own, to which you can invite others.',
    content: html`${form({
        look: 'left',
        action: 'Make the account',
        fields: [
          ...newPersonFields({ withEmail: true }),
          {
            name: 'workspace_name',
            label: 'Name of the workspace',
            kind: 'text',
            isRequired: true,
            autocomplete: 'organization',
          },
        ],
        submit: async ({ name, email, password, workspace_name: workspace }) => {
          const body = {
            name: String(name),
            email: String(email),
            password: String(password),
            workspace_name: String(workspace),
          };
          enter(await call('POST /session/sign-up', { body }));
          go('/', { replace: true });
        },
      })}
      <p><a href=${link('/sign-in')}>Sign in to an account that you have</a></p>`,
  });
}
