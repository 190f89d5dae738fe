import { z } from 'zod';
import { nameTimeZone, readAccount } from '#src/accounts/account.ts';
import { defineRoute, type Route } from '#src/api/route.ts';
import {
  accountChangeSchema,
  newAccountSchema,
} from '#src/email/administration/account-request.ts';
import { findAccount, listAccounts } from '#src/email/accounts.ts';
import { changeAccount } from '#src/email/administration/change-account.ts';
import { createAccount } from '#src/email/administration/create-account.ts';
import { deleteAccount } from '#src/email/administration/delete-account.ts';
import { accountIdOf } from '#src/email/path-ids.ts';
import {
  accountSchema,
  presentAccount,
  presentAccounts,
} from '#src/email/administration/present-account.ts';
import { setDefault } from '#src/email/administration/set-default.ts';

const ACCOUNTS = {
  tag: 'Email accounts',
  family: 'reference',
  plan: 'Personal',
  scope: 'admin',
} as const;

const oneAccount = z.object({ id: z.string() });

const timeZone = z
  .string()
  .max(64)
  .transform(nameTimeZone)
  .refine((zone) => zone !== null, 'must be an IANA time zone such as Europe/Berlin or UTC')
  .optional()
  .describe("IANA name; the account's days begin and end by it. Yours unless told.");

export const emailAccountRoutes: Route[] = [
  defineRoute({
    ...ACCOUNTS,
    method: 'POST',
    path: '/email-accounts',
    summary: 'Make a sender account',
    description:
      'It is not verified: POST /email-accounts/{id}/verify sends a test message through it. The first account of a workspace is its default; later ones are not. The plan says how many accounts a workspace may have: 3 on Personal, 10 on Pro, 50 on Agency, any number on Enterprise; above it the answer is 403. The password is kept encrypted and never shown again.',
    body: newAccountSchema.extend({ time_zone: timeZone }).meta({ id: 'NewEmailAccount' }),
    reply: accountSchema.extend({
      verification_token: z
        .string()
        .describe('Stands in the test message, to tell it from others. Shown this once.'),
    }),
    async handle({ services, principal, body, signal }) {
      const zone = body.time_zone ?? (await readAccount(services.db, principal)).timeZone;
      const request = { ...body, time_zone: zone };
      const { workspaceId } = principal;
      const { account, verificationToken } = await createAccount(
        services,
        workspaceId,
        request,
        signal,
      );
      const presented = await presentAccount(services.db, workspaceId, account);
      return { ...presented, verification_token: verificationToken };
    },
  }),
  defineRoute({
    ...ACCOUNTS,
    scope: 'read',
    method: 'GET',
    path: '/email-accounts',
    summary: 'List the sender accounts of the workspace, oldest first',
    reply: z.object({ accounts: z.array(accountSchema), total: z.int() }),
    async handle({ services: { db }, principal: { workspaceId } }) {
      const accounts = await listAccounts(db, workspaceId);
      return {
        accounts: await presentAccounts(db, workspaceId, accounts),
        total: accounts.length,
      };
    },
  }),
  defineRoute({
    ...ACCOUNTS,
    scope: 'read',
    method: 'GET',
    path: '/email-accounts/{id}',
    summary: 'A sender account',
    params: oneAccount,
    reply: accountSchema,
    async handle({ services: { db }, principal: { workspaceId }, params }) {
      const account = await findAccount(db, { workspaceId, id: accountIdOf(params.id) });
      return presentAccount(db, workspaceId, account);
    },
  }),
  defineRoute({
    ...ACCOUNTS,
    method: 'PATCH',
    path: '/email-accounts/{id}',
    summary: 'Change a sender account',
    description:
      'What is not sent stays. Another smtp_host, smtp_port, smtp_user or smtp_password makes the account unverified and ends what waits to be sent through it; another host or port needs the password along. The address itself does not change: make another account.',
    params: oneAccount,
    body: accountChangeSchema.extend({ time_zone: timeZone }).meta({ id: 'EmailAccountChange' }),
    reply: accountSchema,
    async handle({ services, principal: { workspaceId }, params, body, signal }) {
      const address = { workspaceId, id: accountIdOf(params.id) };
      const account = await changeAccount(services, address, body, signal);
      return presentAccount(services.db, workspaceId, account);
    },
  }),
  defineRoute({
    ...ACCOUNTS,
    method: 'DELETE',
    path: '/email-accounts/{id}',
    summary: 'Delete a sender account with its password and its messages',
    description:
      'What waits to be sent through it is not sent. When it was the default, no other account takes its place: default_deleted and message say so.',
    params: oneAccount,
    reply: z.object({
      status: z.literal('deleted'),
      email: z.string(),
      default_deleted: z.boolean(),
      message: z.string().optional().describe('What to do when the default was deleted.'),
    }),
    async handle({ services, principal, params }) {
      const address = { workspaceId: principal.workspaceId, id: accountIdOf(params.id) };
      const { email, wasDefault } = await deleteAccount(services.db, address);
      return {
        status: 'deleted' as const,
        email,
        default_deleted: wasDefault,
        ...(wasDefault && { message: NO_DEFAULT }),
      };
    },
  }),
  defineRoute({
    ...ACCOUNTS,
    method: 'POST',
    path: '/email-accounts/{id}/set-default',
    summary: 'Make a sender account the default of the workspace',
    description: 'The default before it no longer is. A workspace has one default at most.',
    params: oneAccount,
    reply: z.object({ id: z.string(), email: z.string(), default: z.literal(true) }),
    async handle({ services, principal, params }) {
      const id = accountIdOf(params.id);
      const { email } = await setDefault(services.db, { workspaceId: principal.workspaceId, id });
      return { id, email, default: true as const };
    },
  }),
];

const NO_DEFAULT =
  'No account is the default now. Choose one: POST /email-accounts/{id}/set-default; GET /email-accounts lists them.';
