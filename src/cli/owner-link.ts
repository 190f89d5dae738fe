import { z } from 'zod';
import { type AddCommand, type CommandContext, printJson } from './command-context.ts';

const ownerLink = z.object({ link: z.string(), expires_at: z.string() });

/** `millrace owner-link`: the way in for the first owner, and back in for one who forgot the password. */
export const addOwnerLinkCommand: AddCommand = (program, context) => {
  program
    .command('owner-link')
    .summary('make a link by which an operator signs in')
    .description(
      "Make a link that works once, for 24 hours: whoever opens it chooses a password and becomes an admin of the service's first workspace. Needs an admin key of that workspace.",
    )
    .action(() => makeOwnerLink(context));
};

async function makeOwnerLink(context: CommandContext): Promise<void> {
  const made = await context.connect().json('POST', '/manage/admin/owner-link', ownerLink, {});
  if (context.wantsJson()) {
    printJson(context, made);
    return;
  }
  context.terminal.stderr.write(`Open this once, before ${made.expires_at}:\n`);
  context.terminal.stdout.write(`${made.link}\n`);
}
