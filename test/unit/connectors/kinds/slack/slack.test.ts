import { describe, expect, it } from 'vitest';
import { createSlackConnector } from '#src/connectors/kinds/slack/slack.ts';
import { openTestContext, type TestContext } from '#test/support/connector-context.ts';
import { daysAgo, documentsOf, NOW, openSlack, say, textOf } from './slack-harness.ts';

describe('the Slack connector', () => {
  it.each(['invalid_auth', 'account_inactive', 'token_revoked', 'token_expired', 'not_authed'])(
    'reports the token error %s as a rejected credential',
    async (code) => {
      await using slack = await openSlack();
      slack.workspace.token = 'xoxb-new';
      slack.workspace.tokenError = code;
      await expect(slack.poll()).rejects.toMatchObject({ name: 'CredentialRejected' });
      await expect(slack.check()).rejects.toThrow(code);
    },
  );

  it('names a missing scope', async () => {
    await using slack = await openSlack();
    slack.workspace.scopes.delete('channels:history');
    await expect(slack.check()).rejects.toMatchObject({
      name: 'SourceRefused',
      message: expect.stringContaining('channels:history'),
    });
    await expect(slack.poll()).rejects.toThrow('channels:history');
  });

  it('retries an internal error with status 200 within the run', async () => {
    await using slack = await openSlack();
    say(slack.workspace, 'hello');
    let failures = 2;
    slack.server.fault = ({ url }) =>
      url.pathname.endsWith('history') && failures-- > 0
        ? { kind: 'status', status: 200, body: { ok: false, error: 'internal_error' } }
        : null;
    expect(documentsOf(await slack.poll())).toHaveLength(1);
  });

  it('waits as long as Slack says when rate limited', async () => {
    await using slack = await openSlack();
    await using test = openTestContext({ until: NOW });
    let limited = true;
    slack.server.fault = ({ url }) => {
      if (!limited || !url.pathname.endsWith('conversations.history')) return null;
      limited = false;
      const headers = { 'retry-after': '30' };
      return { kind: 'status', status: 429, headers, body: { ok: false, error: 'ratelimited' } };
    };
    await slack.poll({}, test);
    expect(test.waits.some((ms) => ms >= 30_000)).toBe(true);
  });

  it('reports an unreadable channel as one failure, and reads the others', async () => {
    await using slack = await openSlack();
    slack.workspace.post('C02', daysAgo(1), { user: 'U01', text: 'still here' });
    slack.workspace.refusals.set('conversations.history C01', 'not_in_channel');
    const pages = await slack.poll();
    expect(documentsOf(pages)).toHaveLength(1);
    expect(pages.flatMap((page) => page.failures)).toEqual([
      expect.objectContaining({
        entityId: 'C01',
        reason: expect.stringContaining('not_in_channel'),
      }),
    ]);
    await expect(slack.listIds()).rejects.toThrow('not_in_channel');
  });

  it('makes up in the next run for what it could not read in a channel', async () => {
    await using slack = await openSlack();
    await using first = openTestContext({ until: daysAgo(10) });
    await slack.poll({}, first);
    say(slack.workspace, 'said during the outage', 6);
    slack.workspace.refusals.set('conversations.history C01', 'not_in_channel');
    const memory = first.memory;
    const later = (test: TestContext) => {
      for (const [key, entry] of memory) test.memory.set(key, entry);
      return test;
    };
    await using second = later(openTestContext({ since: daysAgo(10), until: daysAgo(5) }));
    await slack.poll({}, second);
    for (const [key, entry] of second.memory) memory.set(key, entry);
    slack.workspace.refusals.clear();
    await using third = later(openTestContext({ since: daysAgo(5), until: NOW }));
    expect(documentsOf(await slack.poll({}, third))).toHaveLength(1);
  });

  it('names an unknown channel in the check, reports it in a run, and stops the listing', async () => {
    await using slack = await openSlack();
    const settings = { channels: ['#general', 'gone'] };
    await expect(slack.check(settings)).rejects.toThrow('"gone"');
    const pages = await slack.poll(settings);
    expect(pages.flatMap((page) => page.failures.map(({ entityId }) => entityId))).toEqual([
      'gone',
    ]);
    await expect(slack.listIds(settings)).rejects.toThrow('"gone"');
  });

  it('skips a public channel that the bot may not join, and reports it when the settings name it', async () => {
    await using slack = await openSlack();
    slack.workspace.scopes.delete('channels:join');
    const pages = await slack.poll();
    expect(pages.flatMap((page) => page.skipped)).toEqual([
      { documentId: null, reason: 'a channel that the bot cannot join' },
    ]);
    const named = await slack.poll({ channels: ['random'] });
    expect(named.flatMap((page) => page.failures)).toHaveLength(1);
  });

  it('reports a refused thread as one failure with its link', async () => {
    await using slack = await openSlack();
    const root = say(slack.workspace, 'root', 2);
    say(slack.workspace, 'reply', 1, { thread_ts: root });
    say(slack.workspace, 'alone', 1);
    slack.workspace.refusals.set('conversations.replies C01', 'invalid_arguments');
    const pages = await slack.poll();
    expect(documentsOf(pages)).toHaveLength(1);
    expect(pages.flatMap((page) => page.failures)).toEqual([
      {
        documentId: `C01__${root}`,
        link: `https://acme.slack.com/archives/C01/p${root.replace('.', '')}`,
        entityId: null,
        reason: expect.stringContaining('invalid_arguments'),
      },
    ]);
  });

  it('refuses settings with an unknown key or an invalid pattern by name', () => {
    const { settings } = createSlackConnector();
    expect(settings.safeParse({ channel: ['x'] }).error?.message).toContain('channel');
    const broken = settings.safeParse({ channels: ['('], channel_regex_enabled: true });
    expect(broken.error?.issues[0]?.path).toEqual(['channels']);
  });
});

describe('a later run', () => {
  async function pollTwice(slack: Awaited<ReturnType<typeof openSlack>>, change: () => void) {
    await using first = openTestContext({ until: daysAgo(5) });
    await slack.poll({}, first);
    change();
    await using second = openTestContext({ since: daysAgo(5), until: NOW });
    for (const [key, entry] of first.memory) second.memory.set(key, entry);
    return await slack.poll({}, second);
  }

  it('brings new messages, edits, and threads with new replies up to 30 days old, and nothing else', async () => {
    await using slack = await openSlack();
    const quiet = say(slack.workspace, 'quiet', 10);
    const answered = say(slack.workspace, 'question', 20);
    const ancient = say(slack.workspace, 'too old', 60);
    const edited = say(slack.workspace, 'tpyo', 9);
    let fresh = '';
    const pages = await pollTwice(slack, () => {
      fresh = say(slack.workspace, 'new', 1);
      say(slack.workspace, 'answer', 1, { thread_ts: answered });
      say(slack.workspace, 'answer', 1, { thread_ts: ancient });
      const message = slack.workspace.channels.get('C01')?.messages.get(edited);
      Object.assign(message ?? {}, {
        text: 'typo',
        edited: { user: 'U01', ts: String(daysAgo(1).getTime() / 1_000) },
      });
    });
    expect(documentsOf(pages).map(({ id }) => id)).toEqual(
      [fresh, edited, answered].map((ts) => `C01__${ts}`),
    );
    expect(pages.flatMap((page) => [...page.unchanged, ...page.skipped])).toEqual([]);
    expect(textOf(pages, `C01__${answered}`)).toContain('answer');
    expect(textOf(pages, `C01__${quiet}`)).toBeUndefined();
  });

  it('brings the thread of a reply that was also sent to the channel, however old', async () => {
    await using slack = await openSlack();
    const ancient = say(slack.workspace, 'too old', 60);
    const pages = await pollTwice(slack, () => {
      say(slack.workspace, 'answer', 1, { thread_ts: ancient, subtype: 'thread_broadcast' });
    });
    expect(documentsOf(pages).map(({ id }) => id)).toEqual([`C01__${ancient}`]);
  });

  it('reads a channel that the bot has since been invited to from the beginning', async () => {
    await using slack = await openSlack();
    const founders = slack.workspace.channels.get('G03');
    if (founders) founders.is_member = false;
    const old = slack.workspace.post('G03', daysAgo(300), { user: 'U01', text: 'the idea' });
    const pages = await pollTwice(slack, () => {
      if (founders) founders.is_member = true;
    });
    expect(documentsOf(pages).map(({ id }) => id)).toEqual([`G03__${old}`]);
  });
});

describe('single threads and deletions', () => {
  it('the listing shows what is left', async () => {
    await using slack = await openSlack();
    const kept = say(slack.workspace, 'kept', 2);
    const gone = say(slack.workspace, 'gone', 1);
    say(slack.workspace, 'joined', 1, { subtype: 'channel_join' });
    slack.workspace.channels.get('C01')?.messages.delete(gone);
    expect(await slack.listIds()).toEqual([`C01__${kept}`]);
  });

  it('a thread is fetched again, and a missing one is reported as removed', async () => {
    await using slack = await openSlack();
    const ts = say(slack.workspace, 'lone', 2);
    const pages = await slack.fetchAgain([`C01__${ts}`, 'C01__1.000001', 'C99__1.000001']);
    expect(pages.flatMap((page) => page.documents.map(({ id }) => id))).toEqual([`C01__${ts}`]);
    expect(pages.flatMap((page) => page.removed)).toEqual(['C01__1.000001', 'C99__1.000001']);
  });
});
