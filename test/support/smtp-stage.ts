import { sql } from 'kysely';
import { sendJobs } from '#src/email/send-jobs.ts';
import { createMailer } from '#src/email/smtp.ts';
import type { EmailMessageId } from '#src/ids.ts';
import { createHttpClient } from '#src/platform/http.ts';
import { chooseFixedPort } from './child-process.ts';
import { expireClaim } from './email-rows.ts';
import { type EmailStage, startEmailStage } from './email-stage.ts';
import {
  readPem,
  type ScriptedSmtp,
  type ScriptedSmtpOptions,
  startScriptedSmtp,
} from './scripted-smtp.ts';

/** A Millrace with the real mailer, which can reach only the scripted servers of a test. */
export interface SmtpStage extends AsyncDisposable, Pick<EmailStage, 'millrace' | 'openTenant'> {
  /** A new server, with the account settings that select it. */
  serve(options?: ScriptedSmtpOptions): Promise<SmtpServer>;
  /** Makes a waiting message due. */
  hurry(id: string): Promise<void>;
}

export interface SmtpServer extends AsyncDisposable {
  readonly smtp: ScriptedSmtp;
  readonly settings: { smtp_host: string; smtp_port: number };
}

export async function startSmtpStage(): Promise<SmtpStage> {
  await using opened = new AsyncDisposableStack();
  const port = await chooseFixedPort();
  const stage = opened.use(
    await startEmailStage({ PORT: String(port), PUBLIC_URL: `http://127.0.0.1:${port}` }),
  );
  const { services } = stage.millrace;
  const names = new Map<string, string>();
  const http = opened.use(
    createHttpClient({
      allowCidrs: ['127.0.0.0/8'],
      proxyUrl: null,
      userAgent: 'Millrace/test',
      lookup: (host) => {
        const address = names.get(host);
        return address === undefined
          ? Promise.reject(Object.assign(new Error(`no ${host}`), { code: 'ENOTFOUND' }))
          : Promise.resolve([{ address, family: 4 }]);
      },
    }),
  );
  // The mailer of `openServices`, except for the certificate.
  const mailer = createMailer({ guard: http.guard, allowPort25: false, ca: readPem('smtp-cert') });
  Object.assign(services, { http, mailer });
  const resources = opened.move();
  return {
    millrace: stage.millrace,
    openTenant: (plan) => stage.openTenant(plan),
    async serve(options = {}) {
      const smtp = await startScriptedSmtp(options);
      const host = `server-${names.size}.mail.example`;
      names.set(host, smtp.address);
      return {
        smtp,
        settings: { smtp_host: host, smtp_port: smtp.port },
        [Symbol.asyncDispose]: () => smtp[Symbol.asyncDispose](),
      };
    },
    async hurry(text) {
      const id = text as EmailMessageId; // came from a row or an answer
      await expireClaim(services, id);
      const { rows } = await sql<{ kind: 'verification' | 'message' }>`
        select kind from email_message where id = ${id}`.execute(services.db);
      await sendJobs(
        services,
        rows.map(({ kind }) => ({ id, kind })),
        { delayMs: 1 },
      );
    },
    [Symbol.asyncDispose]: () => resources.disposeAsync(),
  };
}
