import { useEffect, useState } from 'preact/hooks';
import { call, type Reply } from '#src/console/web/data/call.ts';
import { go, link } from '#src/console/web/data/place.ts';
import { enter, session } from '#src/console/web/data/session.ts';
import { button } from '#src/console/web/parts/button.ts';
import { form } from '#src/console/web/parts/form.ts';
import { html, type Part, type Parts } from '#src/console/web/parts/html.ts';
import { notice, problemNotice } from '#src/console/web/parts/page.ts';
import { relativeText } from '#src/console/web/parts/time.ts';
import { door, takeToken } from './door.ts';
import { newPersonFields } from './new-person.ts';

type Offer = Reply<'POST /session/invitation'>;

/** The link of an invitation: what it offers, and taking it. */
export function Invitation(): Part {
  const token = takeToken();
  const [offer, setOffer] = useState<Offer | null>(null);
  const [problem, setProblem] = useState<unknown>(null);
  useEffect(() => {
    if (token === null) return;
    call('POST /session/invitation', { body: { token } }).then(setOffer, setProblem);
  }, [token]);
  const fields = newPersonFields({ withEmail: false });
  const accept = async (person: { name?: string; password?: string }): Promise<void> => {
    enter(
      await call('POST /session/invitation/accept', { body: { token: token ?? '', ...person } }),
    );
    go('/', { replace: true });
  };
  return door({
    title: offer === null ? 'Invitation' : `Join ${offer.workspace_name}`,
    about: offer && about(offer),
    content: [
      token === null &&
        notice(
          'amber',
          'This address needs the token of the invitation. Open the link as it was sent.',
        ),
      problem !== null && problemNotice(problem),
      offer &&
        (offer.has_account
          ? joinWithAccount(offer, accept)
          : form({
              look: 'left',
              action: 'Make the account',
              fields,
              submit: ({ name, password }) =>
                accept({ name: String(name), password: String(password) }),
            })),
    ],
  });
}

function about({ email, role, expires_at }: Offer): Parts {
  const left = relativeText(new Date(expires_at).getTime() - Date.now());
  return html`The invitation is for ${email}, as ${role}. It ends ${left}.`;
}

function joinWithAccount({ email }: Offer, accept: (person: object) => Promise<void>): Parts {
  const state = session.value;
  if (state.kind === 'in') return button({ text: 'Join', look: 'primary', run: () => accept({}) });
  return notice(
    'grey',
    html`${email} has an account. <a href=${link('/sign-in')}>Sign in</a>, then open the link of the
      invitation again.`,
  );
}
