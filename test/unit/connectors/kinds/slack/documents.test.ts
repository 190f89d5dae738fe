import { describe, expect, it } from 'vitest';
import { renderMrkdwn } from '#src/connectors/kinds/slack/slack-mrkdwn.ts';
import { daysAgo, documentsOf, openSlack, say, textOf } from './slack-harness.ts';

describe('a run', () => {
  it('reads every message of a long history, and can be resumed from every checkpoint', async () => {
    await using slack = await openSlack();
    const expected = Array.from(
      { length: 40 },
      (_, index) => `C01__${say(slack.workspace, `word ${index}`, index)}`,
    );
    const pages = await slack.poll();
    expect(documentsOf(pages).map(({ id }) => id)).toEqual(expected);
    for (const [index, { checkpoint }] of pages.entries()) {
      const before = documentsOf(pages.slice(0, index + 1)).map(({ id }) => id);
      say(slack.workspace, 'arrived meanwhile', 0); // moves nothing
      const after = documentsOf(await slack.poll({}, undefined, checkpoint)).map(({ id }) => id);
      expect([...before, ...after.filter((id) => expected.includes(id))]).toEqual(expected);
    }
  });

  it('turns a thread with several pages of replies into one ordered document with its people', async () => {
    await using slack = await openSlack();
    const root = say(slack.workspace, 'Who knows <#C02>?', 3);
    for (let number = 1; number <= 8; number += 1) {
      const at = new Date(daysAgo(2).getTime() + number);
      slack.workspace.post('C01', at, { user: 'U02', text: `answer ${number}`, thread_ts: root });
    }
    const documents = documentsOf(await slack.poll());
    expect(documents).toHaveLength(1);
    expect(documents[0]).toMatchObject({
      id: `C01__${root}`,
      semanticIdentifier: 'Ada in #general: Who knows #random?',
      metadata: { channel: 'general', author: 'Ada', participants: ['Ada', 'Grace'] },
      primaryOwners: [{ display_name: 'Ada', email: 'ada@example.com' }],
      secondaryOwners: [{ display_name: 'Grace', email: 'grace@example.com' }],
      updatedAt: new Date(daysAgo(2).getTime() + 8),
    });
    expect(documents[0]?.sections[0]?.text.match(/answer \d/g)).toEqual(
      Array.from({ length: 8 }, (_, index) => `answer ${index + 1}`),
    );
  });

  it('links each section of a long thread to its own first message', async () => {
    await using slack = await openSlack();
    const root = say(slack.workspace, 'x'.repeat(1_000), 3);
    const reply = say(slack.workspace, 'y'.repeat(1_000), 2, { thread_ts: root });
    const [document] = documentsOf(await slack.poll());
    expect(document?.sections.map(({ link }) => link)).toEqual([
      `https://acme.slack.com/archives/C01/p${root.replace('.', '')}`,
      `https://acme.slack.com/archives/C01/p${reply.replace('.', '')}?thread_ts=${root}&cid=C01`,
    ]);
  });

  it('skips joins, topics, pins and bots, each with its reason', async () => {
    await using slack = await openSlack();
    for (const subtype of ['channel_join', 'channel_topic', 'pinned_item']) {
      say(slack.workspace, 'notice', 1, { subtype });
    }
    say(slack.workspace, 'beep', 1, { subtype: 'bot_message', bot_id: 'B9', username: 'Deploys' });
    say(slack.workspace, '', 1);
    const reasons = (await slack.poll()).flatMap((page) =>
      page.skipped.map(({ reason }) => reason),
    );
    expect(reasons.sort()).toEqual([
      'a message without text',
      ...Array.from({ length: 3 }, () => 'a notice from Slack, not a message'),
      'written by a bot',
    ]);
    const [document] = documentsOf(await slack.poll({ include_bot_messages: true }));
    expect(document?.semanticIdentifier).toBe('Deploys in #general: beep');
  });

  it('keeps what people write below a bot message', async () => {
    await using slack = await openSlack();
    const root = say(slack.workspace, 'alarm', 2, { bot_id: 'B9' });
    say(slack.workspace, 'I look into it', 1, { thread_ts: root });
    const pages = await slack.poll();
    expect(textOf(pages, `C01__${root}`)).toBe('Ada: I look into it');
    expect(await slack.listIds()).toEqual([`C01__${root}`]);
  });

  it('keeps the names of files and the text of attachments and blocks', async () => {
    await using slack = await openSlack();
    const ts = say(slack.workspace, '', 1, {
      blocks: [{ type: 'section', text: { type: 'mrkdwn', text: 'From *blocks*' } }],
      attachments: [
        {
          title: 'Ticket',
          title_link: 'https://example.com/1',
          text: 'It burns',
          fields: [{ title: 'Prio', value: 'P1' }],
        },
      ],
      files: [{ id: 'F1', name: 'plan.pdf', title: 'The plan' }],
    });
    expect(textOf(await slack.poll(), `C01__${ts}`)).toBe(
      'Ada: From *blocks*\nTicket (https://example.com/1)\nIt burns\nPrio: P1\nFile: The plan (plan.pdf)',
    );
  });

  it('joins public channels, reads private ones it is in, and respects the filters in the settings', async () => {
    await using slack = await openSlack();
    for (const channel of ['C01', 'C02', 'G03']) {
      slack.workspace.post(channel, daysAgo(1), { user: 'U01', text: 'hi' });
    }
    const channels = async (settings: object) =>
      documentsOf(await slack.poll(settings)).map(({ metadata }) => metadata['channel']);
    expect(await channels({})).toEqual(['general', 'random', 'founders']);
    expect(await channels({ channels: ['#random', 'G03'] })).toEqual(['random', 'founders']);
    expect(await channels({ channels: ['.*r.*'], channel_regex_enabled: true })).toEqual([
      'general',
      'random',
      'founders',
    ]);
    expect(await channels({ exclude_channels: ['general'] })).toEqual(['random', 'founders']);
    expect(
      await channels({ exclude_channels: ['gen.*|foun.*'], exclude_channel_regex_enabled: true }),
    ).toEqual(['random']);
  });

  it('uses the id of a user whom Slack does not show', async () => {
    await using slack = await openSlack();
    slack.workspace.post('C01', daysAgo(1), { user: 'U99', text: 'from afar' });
    const [document] = documentsOf(await slack.poll());
    expect(document?.semanticIdentifier).toBe('U99 in #general: from afar');
  });

  it('reads the member list once when many names are needed', async () => {
    await using slack = await openSlack();
    for (let number = 0; number < 60; number += 1) {
      const id = `UX${number}`;
      slack.workspace.users.set(id, { id, name: `person ${number}` });
      slack.workspace.post('C01', daysAgo(1), { user: id, text: 'hi' });
    }
    expect(documentsOf(await slack.poll())).toHaveLength(60);
    const asked = slack.server.requests.filter(({ url }) => url.pathname.includes('/users.'));
    expect(asked).toHaveLength(21);
  });
});

describe('markup', () => {
  const names = {
    user: (id: string) => (id === 'U01' ? 'Ada' : null),
    channel: (id: string) => (id === 'C01' ? 'general' : null),
  };

  it.each([
    ['&lt;@U01&gt; is no mention', '<@U01> is no mention'],
    ['&amp;lt;', '&lt;'],
    ['<@U01> and <@U02> and <@U03|eve>', '@Ada and @U02 and @eve'],
    ['<#C01> <#C02|random> <#C03>', '#general #random #C03'],
    ['<!here> <!subteam^S1|@ops> <!subteam^S2>', '@here @ops @S2'],
    ['<!date^1700000000^{date}|Nov 14>', 'Nov 14'],
    ['<https://example.com?a=1&amp;b=2>', 'https://example.com?a=1&b=2'],
    ['<https://example.com/a|the page>', 'the page (https://example.com/a)'],
    ['<http://example.com|example.com> <mailto:a@b.c|a@b.c>', 'example.com a@b.c'],
    ['if a &lt; b &amp;&amp; c &gt; d', 'if a < b && c > d'],
  ])('%s is read as %s', (markup, text) => {
    expect(renderMrkdwn(markup, names)).toBe(text);
  });
});
