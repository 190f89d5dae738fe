import { call } from '#src/console/web/data/call.ts';
import { link, query, safeTarget, BASE } from '#src/console/web/data/place.ts';
import { enter } from '#src/console/web/data/session.ts';
import { useResource } from '#src/console/web/data/store.ts';
import { button } from '#src/console/web/parts/button.ts';
import { type Field, form } from '#src/console/web/parts/form.ts';
import { html, type Part } from '#src/console/web/parts/html.ts';
import { notice } from '#src/console/web/parts/page.ts';
import { door } from './door.ts';

const FIELDS: readonly Field[] = [
  {
    name: 'email',
    label: 'E-mail address',
    kind: 'email',
    isRequired: true,
    autocomplete: 'username',
  },
  {
    name: 'password',
    label: 'Password',
    kind: 'password',
    isRequired: true,
    autocomplete: 'current-password',
  },
  {
    name: 'rememberMe',
    label: 'Stay signed in on this device',
    kind: 'check',
    value: true,
  },
];

/** Who are you? */
export function SignIn(): Part {
  const { data: options } = useResource('GET /session/sign-in-options');
  const failure = query.value.get('error');
  const target = safeTarget(query.value.get('next'));
  return door({
    title: 'Sign in',
    content: [
      failure !== null &&
        notice(
          'red',
          'Signing in with the provider did not work. Try again, or ask an administrator.',
        ),
      options?.has_owner === false &&
        notice(
          'amber',
          html`Nobody has an account yet. Open the owner link that the service printed at its first
            start, or run <code>npx millrace owner-link</code>.`,
        ),
      form({
        look: 'left',
        action: 'Sign in',
        fields: FIELDS,
        submit: async ({ email, password, rememberMe }) => {
          enter(
            await call('POST /auth/sign-in/email', {
              body: {
                email: String(email),
                password: String(password),
                rememberMe: rememberMe === true,
              },
            }),
          );
        },
      }),
      options?.oidc &&
        button({
          text: `Sign in with ${options.oidc.name}`,
          run: async () => {
            const body = { provider: 'oidc', callbackURL: BASE + target } as const;
            const { url } = await call('POST /auth/sign-in/social', { body });
            location.assign(url);
          },
        }),
      html`<p class="row">
        ${options?.password_reset && html`<a href=${link('/forgot-password')}>Forgotten the password?</a>`}
        ${options?.sign_up && html`<a href=${link('/sign-up')}>Make an account</a>`}
      </p>`,
    ],
  });
}
