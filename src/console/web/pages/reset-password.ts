import { useState } from 'preact/hooks';
import { call } from '#src/console/web/data/call.ts';
import { link } from '#src/console/web/data/place.ts';
import { form } from '#src/console/web/parts/form.ts';
import { html, type Part } from '#src/console/web/parts/html.ts';
import { notice } from '#src/console/web/parts/page.ts';
import { door, takeToken } from './door.ts';
import { newPasswordField } from './new-person.ts';

const backToSignIn = html`<p><a href=${link('/sign-in')}>Back to signing in</a></p>`;

/** Asks for a link to a new password. */
export function ForgotPassword(): Part {
  const [isSent, setSent] = useState(false);
  return door({
    title: 'Forgotten password',
    content: [
      isSent
        ? notice(
            'green',
            'If this address has an account, a link is on its way to it. It is valid for one hour.',
          )
        : form({
            look: 'left',
            action: 'Send a link',
            fields: [
              {
                name: 'email',
                label: 'E-mail address',
                kind: 'email',
                isRequired: true,
                autocomplete: 'username',
              },
            ],
            submit: async ({ email }) => {
              await call('POST /auth/request-password-reset', { body: { email: String(email) } });
              setSent(true);
            },
          }),
      backToSignIn,
    ],
  });
}

/** The link in that mail. */
export function ResetPassword(): Part {
  const [isDone, setDone] = useState(false);
  const token = takeToken();
  return door({
    title: 'New password',
    content: [
      token === null &&
        notice(
          'amber',
          'This address needs the token of the link in the mail. Open the link as it was sent.',
        ),
      isDone &&
        notice(
          'green',
          'The password is changed, and all sessions have ended. Sign in with the new one.',
        ),
      token !== null &&
        !isDone &&
        form({
          look: 'left',
          action: 'Change the password',
          fields: [newPasswordField('newPassword')],
          submit: async ({ newPassword }) => {
            await call('POST /auth/reset-password', {
              body: { token, newPassword: String(newPassword) },
            });
            setDone(true);
          },
        }),
      backToSignIn,
    ],
  });
}
