import { expect, it } from 'vitest';
import { openTestContext } from '#test/support/connector-context.ts';
import { laterContext } from '#test/support/poll-fixture.ts';
import { daysAgo, documentsOf, NOW, openSlack, say, textOf } from './slack-harness.ts';

type Slack = Awaited<ReturnType<typeof openSlack>>;

function upload(
  { server, workspace }: Slack,
  name: string,
  text: string,
  more: object = {},
): object {
  const bytes = Buffer.from(text);
  workspace.files.set(name, { mimetype: 'text/plain', bytes });
  const address = `${server.url}/files-pri/${name}`;
  const file = { id: `F${workspace.files.size}`, name, mimetype: 'text/plain', size: bytes.length };
  const whole = { ...file, url_private_download: address, ...more };
  workspace.fileObjects.set(file.id, whole);
  return whole;
}

it('file contents are part of the thread, once each, and cited where they were posted', async () => {
  await using slack = await openSlack();
  const plan = upload(slack, 'plan.md', 'The oven comes on Friday.');
  const root = say(slack.workspace, 'Our plan', 2, { files: [plan] });
  const reply = say(slack.workspace, 'And the price', 1, {
    thread_ts: root,
    files: [upload(slack, 'price.csv', 'oven,900'), plan],
  });
  const [document] = documentsOf(await slack.poll());
  expect(document?.sections.slice(1)).toEqual([
    {
      text: expect.stringMatching(/^# plan\.md\n\n[^]*The oven comes on Friday\./),
      link: `https://acme.slack.com/archives/C01/p${root.replace('.', '')}`,
    },
    {
      text: expect.stringMatching(/^# price\.csv\n\n[^]*900/),
      link: expect.stringContaining(`p${reply.replace('.', '')}?thread_ts=${root}`),
    },
  ]);
  expect(document?.metadata).not.toHaveProperty('unread_files');
});

it('a file that Slack reveals only on request is requested', async () => {
  await using slack = await openSlack();
  upload(slack, 'shared.txt', 'From another company.');
  const files = [{ id: 'F1', name: 'shared.txt', file_access: 'check_file_info' }];
  const root = say(slack.workspace, 'See', 1, { files });
  expect(textOf(await slack.poll(), `C01__${root}`)).toContain('From another company.');
});

it('the token is sent to no other host, and unreadable files are named', async () => {
  await using slack = await openSlack();
  const elsewhere = { url_private_download: 'https://files.slack.com.evil.example/x' };
  say(slack.workspace, 'Many', 1, {
    files: [
      upload(slack, 'elsewhere.txt', 'x', elsewhere),
      upload(slack, 'plain.txt', 'x', { url_private_download: 'http://files.slack.com/x' }),
      upload(slack, 'large.txt', 'x', { size: 11 * 1024 * 1024 }),
      upload(slack, 'drive.txt', 'x', { is_external: true }),
      upload(slack, 'broken.pdf', 'not a pdf'),
      upload(slack, 'photo.png', 'x', { mimetype: 'image/png' }),
    ],
  });
  const pages = await slack.poll();
  expect(pages.flatMap(({ failures }) => failures)).toEqual([]);
  const [document] = documentsOf(pages);
  expect(document?.sections).toHaveLength(1);
  expect(document?.metadata['unread_files']).toEqual([
    'elsewhere.txt: Slack returned an address outside Slack.',
    'plain.txt: Slack returned an address outside Slack.',
    'large.txt: more than 10 MB',
    'drive.txt: it is stored outside Slack',
    expect.stringMatching(/^broken\.pdf: /),
  ]);
});

it('without the scope, the sign-in page is not taken for the file', async () => {
  await using slack = await openSlack();
  slack.workspace.scopes.delete('files:read');
  say(slack.workspace, 'Our plan', 1, { files: [upload(slack, 'plan.txt', 'Secret.')] });
  const [document] = documentsOf(await slack.poll());
  expect(document?.metadata['unread_files']).toEqual([
    'plan.txt: Slack refused the download: the app needs the scope files:read.',
  ]);
});

it('a reply edited within hours is seen by the next run', async () => {
  await using slack = await openSlack();
  await using first = openTestContext({ until: NOW });
  const { workspace } = slack;
  const hoursAgo = (hours: number) => daysAgo(hours / 24);
  const root = workspace.post('C01', hoursAgo(5), { user: 'U01', text: 'Who can help?' });
  const reply = { user: 'U02', text: 'I can.', thread_ts: root };
  const ts = workspace.post('C01', hoursAgo(4), reply);
  await slack.poll({}, first);
  const message = workspace.channels.get('C01')?.messages.get(ts);
  Object.assign(message ?? {}, { text: 'I cannot.', edited: { user: 'U02', ts: `${ts}1` } });
  await using later = laterContext(first, NOW);
  expect(textOf(await slack.poll({}, later), `C01__${root}`)).toContain('I cannot.');
});

it('a reply edited or deleted days later is seen within a day, each thread in its own run', async () => {
  await using slack = await openSlack();
  const { workspace } = slack;
  const start = daysAgo(4);
  await using first = openTestContext({ until: start });
  const threads = [6, 6.3, 6.6, 6.9].map((days) => {
    const root = say(workspace, 'Who can help?', days);
    return { root, reply: say(workspace, 'I can.', days - 1.5, { thread_ts: root }) };
  });
  await slack.poll({}, first);
  for (const { reply } of threads) {
    const message = workspace.channels.get('C01')?.messages.get(reply);
    Object.assign(message ?? {}, { text: 'I cannot.', edited: { user: 'U01', ts: reply } });
  }
  const seen: string[][] = [];
  for (let run = 1; run <= 8; run += 1) {
    const [since, until] = [run - 1, run].map((n) => new Date(start.getTime() + n * 3 * 3_600_000));
    await using later = openTestContext({ since: since ?? start, until: until ?? start });
    for (const [key, entry] of first.memory) later.memory.set(key, entry);
    const pages = await slack.poll({}, later);
    for (const [key, entry] of later.memory) first.memory.set(key, entry);
    seen.push(documentsOf(pages).map(({ id }) => id));
    for (const id of seen.at(-1) ?? []) expect(textOf(pages, id)).toContain('I cannot.');
  }
  expect(seen.flat().toSorted()).toEqual(threads.map(({ root }) => `C01__${root}`).toSorted());
  expect(Math.max(...seen.map((ids) => ids.length))).toBeLessThan(threads.length);
});
