import type { Mail } from './sign-in.ts';

export function resetMail({ email }: { email: string }, link: string): Mail {
  return {
    to: email,
    subject: 'Reset your Millrace password',
    text: `Somebody asked for a new password for ${email}.

Choose one here within an hour:
${link}

If it was not you, do nothing: your password stays as it is.
`,
  };
}

export function invitationMail(invitation: {
  email: string;
  workspaceName: string;
  invitedBy: string;
  link: string;
}): Mail {
  const { email, workspaceName, invitedBy, link } = invitation;
  return {
    to: email,
    subject: `Invitation to ${oneLine(workspaceName)} on Millrace`,
    text: `${oneLine(invitedBy)} invites you to the workspace ${oneLine(workspaceName)}.

Join within seven days:
${link}

If you do not know what this is about, do nothing.
`,
  };
}

/** Names are given by users. */
function oneLine(text: string): string {
  return text.replaceAll(/\s+/g, ' ').trim();
}
