import { isDeepStrictEqual } from 'node:util';
import { sql } from 'kysely';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import {
  FORBIDDEN_HOSTS,
  FORBIDDEN_NAMES,
  type ForbiddenHost,
  PUBLIC_ADDRESS,
} from '#test/support/forbidden-hosts.ts';
import { type HostInput, HOST_INPUTS } from '#test/support/host-inputs.ts';
import { type OutboundStage, startOutboundStage } from '#test/support/outbound-stage.ts';

let stage: OutboundStage;
beforeAll(async () => {
  stage = await startOutboundStage([]);
});
afterAll(() => stage[Symbol.asyncDispose]());

const REFUSED =
  'HOST cannot be reached from here. Only public addresses can be, and those that the operator has opened with OUTBOUND_ALLOW_CIDRS.';
const NO_HOST = 'must be a host name such as smtp.example.com, without a scheme, a port or a path.';

/** All customer-supplied hosts in the database. */
async function storedHosts(): Promise<string[]> {
  const { rows } = await sql<{ text: string }>`
    select url as text from webhook_endpoint union all select query from lead_scrape
    union all select url from lead_scrape_site
    union all select smtp_host from email_account`.execute(stage.millrace.services.db);
  return rows.map(({ text }) => text);
}

/** The refusal, with a leading host replaced by HOST. */
async function refusalAt(door: HostInput, { host }: ForbiddenHost) {
  const { status, body } = await door.ask(stage.millrace, host);
  const [, field, words = ''] = /^(\S+): ([^]*)$/.exec(String(body.detail)) ?? [];
  const said = words.replace(/^\S+(?= cannot be reached)/, 'HOST');
  return { status, code: body.error_code, field, said };
}

describe.each(HOST_INPUTS)('$name', (door) => {
  it('refuses every host of the table with one sentence and stores none of them', async () => {
    // Creates the row first when the request changes one.
    await door.ask(stage.millrace, 'localhost');
    const before = await storedHosts();
    const wrong = [];
    for (const entry of FORBIDDEN_HOSTS) {
      const { host, why, isUrlOnly } = entry;
      const said = door.isBare && isUrlOnly === true ? NO_HOST : REFUSED;
      const right = { status: 400, code: 'BAD_REQUEST', field: door.field, said };
      const refusal = await refusalAt(door, entry);
      if (!isDeepStrictEqual(refusal, right)) wrong.push({ host, why, ...refusal });
    }
    expect(wrong).toEqual([]);
    expect(await storedHosts()).toEqual(before);
  });

  it('does not reveal what an internal name resolves to', async () => {
    for (const { name, addresses } of FORBIDDEN_NAMES) {
      const { text } = await door.ask(stage.millrace, name);
      const said = text.replaceAll(name, 'HOST');
      for (const address of addresses) expect(said).not.toContain(address);
      expect(said).not.toMatch(/loopback|private|link-local|resolves/);
    }
  });
});

it('all requests accept a public host', async () => {
  for (const door of HOST_INPUTS.filter(({ name }) => !name.includes('scrape'))) {
    expect([door.name, (await door.ask(stage.millrace, PUBLIC_ADDRESS)).status]).toEqual([
      door.name,
      200,
    ]);
  }
});
