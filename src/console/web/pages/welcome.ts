import { call } from '#src/console/web/data/call.ts';
import { go } from '#src/console/web/data/place.ts';
import { enter } from '#src/console/web/data/session.ts';
import { form } from '#src/console/web/parts/form.ts';
import { html, type Part } from '#src/console/web/parts/html.ts';
import { notice } from '#src/console/web/parts/page.ts';
import { door, takeToken } from './door.ts';
import { newPersonFields } from './new-person.ts';

/** The first start: the owner link makes the first account. */
export function Welcome(): Part {
  const token = takeToken();
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
    content: form({
      look: 'left',
      action: 'Make the account',
      fields: newPersonFields({ withEmail: true }),
      submit: async ({ name, email, password }) => {
        const body = {
          token,
          name: String(name),
          email: String(email),
          password: String(password),
        };
        enter(await call('POST /session/owner', { body }));
        go('/', { replace: true });
      },
    }),
  });
}
