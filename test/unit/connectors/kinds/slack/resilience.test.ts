import { expect, it } from 'vitest';
import { openTestContext, type TestContext } from '#test/support/connector-context.ts';
import { daysAgo, documentsOf, NOW, openSlack, say, textOf } from './slack-harness.ts';

type Slack = Awaited<ReturnType<typeof openSlack>>;

function openLater(earlier: TestContext, since: Date | null, until = NOW): TestContext {
  const later = openTestContext({ since, until });
  for (const [key, entry] of earlier.memory) later.memory.set(key, entry);
  return later;
}

/** Imitates the limit for apps outside the Slack marketplace: one request a minute. */
function slowDown(slack: Slack): void {
  let isFree = false;
  slack.server.fault = ({ url }) => {
    if (!/history|replies/.test(url.pathname)) return null;
    isFree = !isFree;
    const headers = { 'retry-after': '60' };
    return isFree ? { kind: 'status', status: 429, headers } : null;
  };
}

it('an app with one request a minute saves a page every few minutes and reads everything', async () => {
  await using slack = await openSlack();
  await using test = openTestContext({ until: NOW });
  slack.workspace.messagesPerPage = 15;
  // More than one page of history; every page that it saves costs a poll of the rest.
  for (let number = 0; number < 18; number += 1) {
    const root = say(slack.workspace, `question ${number}`, 40 - number);
    say(slack.workspace, `answer ${number}`, 1, { thread_ts: root });
  }
  slowDown(slack);
  const polled = slack.connector.poll(
    slack.connector.settings.parse({}),
    slack.credential,
    null,
    test.context,
  );
  const ids: string[] = [];
  let savedMs = test.context.clock().getTime();
  for await (const page of polled) {
    ids.push(...page.documents.map(({ id }) => id));
    const nowMs = test.context.clock().getTime();
    expect(nowMs - savedMs).toBeLessThan(8 * 60_000);
    savedMs = nowMs;
    const rest = await slack.poll({}, undefined, page.checkpoint);
    expect(new Set([...ids, ...documentsOf(rest).map(({ id }) => id)]).size).toBe(18);
  }
  expect(ids).toHaveLength(18);
});

it('a thread that takes too long with one request a minute is one failure', async () => {
  await using slack = await openSlack();
  await using test = openTestContext({ until: NOW });
  slack.workspace.messagesPerPage = 15;
  const root = say(slack.workspace, 'endless', 9);
  for (let number = 0; number < 300; number += 1) {
    say(slack.workspace, `reply ${number}`, 8, { thread_ts: root });
  }
  const alone = say(slack.workspace, 'alone', 10);
  slowDown(slack);
  const pages = await slack.poll({}, test);
  expect(documentsOf(pages).map(({ id }) => id)).toEqual([`C01__${alone}`]);
  expect(pages.flatMap(({ failures }) => failures)).toMatchObject([{ documentId: `C01__${root}` }]);
});

it('a quiet run remembers which document shows that the channel is still indexed', async () => {
  await using slack = await openSlack();
  const ts = say(slack.workspace, 'the only one', 300);
  await using first = openTestContext({ until: daysAgo(5) });
  await slack.poll({}, first);
  await using second = openLater(first, daysAgo(5));
  expect(documentsOf(await slack.poll({}, second))).toEqual([]);
  expect(second.memory.get('channel:C01')?.documentId).toBe(`C01__${ts}`);
});

it('the failure of one channel does not restart another from the beginning', async () => {
  await using slack = await openSlack();
  say(slack.workspace, 'old', 300);
  const settings = { channels: ['general', 'nowhere'] };
  await using first = openTestContext({ until: daysAgo(5) });
  await slack.poll(settings, first);
  const fresh = say(slack.workspace, 'fresh', 1);
  await using second = openLater(first, null);
  const pages = await slack.poll(settings, second);
  expect(documentsOf(pages).map(({ id }) => id)).toEqual([`C01__${fresh}`]);
});

it('messages older than the start of the first run are never read, in any channel', async () => {
  await using slack = await openSlack();
  const founders = slack.workspace.channels.get('G03');
  if (founders) founders.is_member = false;
  say(slack.workspace, 'too old', 300);
  slack.workspace.post('G03', daysAgo(300), { user: 'U01', text: 'too old' });
  const kept = slack.workspace.post('G03', daysAgo(50), { user: 'U01', text: 'kept' });
  await using first = openTestContext({ since: daysAgo(100), until: daysAgo(5) });
  expect(documentsOf(await slack.poll({}, first))).toEqual([]);
  if (founders) founders.is_member = true;
  await using second = openLater(first, daysAgo(5));
  const pages = await slack.poll({}, second);
  expect(documentsOf(pages).map(({ id }) => id)).toEqual([`G03__${kept}`]);
});

it('a thread that fails again does not stop others from being fetched again', async () => {
  await using slack = await openSlack();
  slack.workspace.refusals.set('conversations.replies C02', 'not_in_channel');
  const lost = slack.workspace.post('C02', daysAgo(2), { user: 'U01', text: 'lost' });
  const found = say(slack.workspace, 'found', 2);
  const pages = await slack.fetchAgain([`C02__${lost}`, `C01__${found}`]);
  expect(pages.flatMap(({ failures }) => failures)).toMatchObject([
    { documentId: `C02__${lost}`, reason: expect.stringContaining('not_in_channel') },
  ]);
  expect(documentsOf(pages.map((page) => ({ ...page, checkpoint: null })))).toMatchObject([
    { id: `C01__${found}` },
  ]);
  const chosen = await slack.fetchAgain([`C01__${found}`], { channels: ['random'] });
  expect(chosen).toMatchObject([{ documents: [], removed: [`C01__${found}`] }]);
});

it('text in blocks of an app message or its attachments is kept besides the short form', async () => {
  await using slack = await openSlack();
  const section = (text: string) => ({ type: 'section', text: { type: 'mrkdwn', text } });
  const short = say(slack.workspace, 'Deployed', 3, {
    blocks: [section('Deployed version 7 to *production*'), section('by the night shift')],
  });
  const attached = say(slack.workspace, '', 2, {
    attachments: [{ fallback: '[no preview available]', blocks: [section('Disk is full')] }],
  });
  const table = say(slack.workspace, 'Figures', 1, {
    blocks: [
      {
        type: 'table',
        rows: [
          [
            { type: 'raw_text', text: 'May' },
            { type: 'raw_text', text: '41' },
          ],
        ],
      },
    ],
  });
  const pages = await slack.poll();
  expect(textOf(pages, `C01__${short}`)).toContain('by the night shift');
  expect(textOf(pages, `C01__${attached}`)).toContain('Disk is full');
  expect(textOf(pages, `C01__${table}`)).toContain('Figures\nMay | 41');
});

it('a malformed attachment does not stop its channel from being read', async () => {
  await using slack = await openSlack();
  const ts = say(slack.workspace, 'plain words', 1, {
    attachments: [{ title: 7, fields: 'none' }],
    files: [{ name: false }],
  });
  expect(textOf(await slack.poll(), `C01__${ts}`)).toContain('plain words');
});
