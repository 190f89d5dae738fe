import { expect, test } from 'vitest';
import { gitlab } from '#src/connectors/kinds/gitlab/gitlab.ts';
import { SourceRefused } from '#src/connectors/source/source-errors.ts';
import {
  type GitlabFixture,
  otherProject,
  startFixture,
} from '#test/fixtures/connectors/gitlab.ts';
import { openTestContext } from '#test/support/connector-context.ts';
import { driverOf, idsOf, laterContext } from '#test/support/poll-fixture.ts';

const WEB = 'https://git.acme.example/git';
const GROUP = { project_owner: null, project_name: null, group: 'acme' };
const SINCE = new Date('2026-02-01T00:00:00Z');

const drive = (fixture: GitlabFixture) => driverOf(fixture, gitlab);

/** Five projects in the group and one outside; the server lists three at a time. */
async function startGroup(): Promise<GitlabFixture> {
  const fixture = await startFixture();
  fixture.state.others = [
    otherProject(9, 'acme/garden', 4),
    otherProject(100, 'acme/tools/cellar', 2),
    otherProject(7, 'acme/attic', 1),
    otherProject(55, 'acme/tools/deep/well', 1),
    otherProject(8, 'other/shed', 3),
  ];
  return fixture;
}

function issuesOf(path: string, count: number): string[] {
  return Array.from({ length: count }, (_, index) => `${WEB}/${path}/-/issues/${index + 1}`);
}

const IN_GROUP = [
  ...issuesOf('acme/attic', 1),
  ...issuesOf('acme/garden', 4),
  ...issuesOf('acme/tools/deep/well', 1),
  ...issuesOf('acme/tools/cellar', 2),
];

test('a group is read with its subgroups, project by project, and lists the same ids', async () => {
  await using fixture = await startGroup();
  await using context = openTestContext();
  await drive(fixture).check(context, GROUP);
  const ids = idsOf(await drive(fixture).poll(context, GROUP));
  expect(ids.toSorted()).toEqual([...fixture.ids(), ...IN_GROUP].toSorted());
  expect((await drive(fixture).listIds(context, GROUP)).toSorted()).toEqual(ids.toSorted());
});

test('several projects are read by path, once each', async () => {
  await using fixture = await startGroup();
  await using context = openTestContext();
  const projects = ['other/shed', '/acme/garden/', 'other/shed'];
  const some = { project_owner: null, project_name: null, projects };
  const ids = idsOf(await drive(fixture).poll(context, some));
  expect(ids).toEqual([...issuesOf('acme/garden', 4), ...issuesOf('other/shed', 3)]);
});

test('a run of a group resumed from any checkpoint misses nothing', async () => {
  await using fixture = await startGroup();
  await using context = openTestContext();
  const pages = await drive(fixture).poll(context, GROUP);
  for (const [index, { checkpoint }] of pages.entries()) {
    await using fresh = openTestContext();
    const stored: unknown = JSON.parse(JSON.stringify(checkpoint));
    const rest = idsOf(await drive(fixture).poll(fresh, GROUP, stored));
    const all = [...idsOf(pages.slice(0, index + 1)), ...rest];
    expect(all).toEqual(idsOf(pages));
  }
});

test('a single-project checkpoint saved by an earlier version is resumed', async () => {
  await using fixture = await startFixture();
  await using context = openTestContext();
  const stored = { stage: 'merge_requests', cursor: null, files: null };
  const ids = idsOf(await drive(fixture).poll(context, {}, stored));
  expect(ids).toHaveLength(4);
  expect(ids.every((id) => id.includes('/merge_requests/'))).toBe(true);
});

test('a deleted or doomed project leaves the group, and a new one is read completely', async () => {
  await using fixture = await startGroup();
  await using context = openTestContext();
  await drive(fixture).poll(context, GROUP);
  const { others } = fixture.state;
  const [garden, , attic] = others;
  if (!garden || !attic) throw new Error('The group has these.');
  fixture.state.others = others.filter((one) => one !== garden);
  attic.markedForDeletion = true;
  const listed = await drive(fixture).listIds(context, GROUP);
  expect(listed.filter((id) => /garden|attic/.test(id))).toEqual([]);
  const later = laterContext(context, SINCE);
  expect(idsOf(await drive(fixture).poll(later, GROUP))).toEqual([]);
  // What was pruned in the meantime is yielded again.
  fixture.state.others.push(garden);
  expect(idsOf(await drive(fixture).poll(later, GROUP))).toEqual(issuesOf('acme/garden', 4));
});

test('an unreadable project is one failure, and prevents a complete listing', async () => {
  await using fixture = await startGroup();
  await using context = openTestContext();
  const projects = ['acme/garden', 'acme/nowhere', 'other/shed'];
  const some = { project_owner: null, project_name: null, projects };
  const pages = await drive(fixture).poll(context, some);
  expect(pages.flatMap(({ failures }) => failures)).toMatchObject([
    { entityId: 'acme/nowhere', reason: expect.stringContaining('does not exist') },
  ]);
  expect(idsOf(pages)).toHaveLength(7);
  await expect(drive(fixture).listIds(context, some)).rejects.toThrow(SourceRefused);
  const [known = ''] = issuesOf('acme/garden', 1);
  const [unknown = ''] = issuesOf('acme/nowhere', 1);
  const again = await drive(fixture).fetchAgain(context, [known, unknown], some);
  expect(idsOf(again)).toEqual([known]);
  expect(again.flatMap(({ failures }) => failures)).toMatchObject([{ documentId: unknown }]);
});

test('settings accept one project, several, or a group, but no combination', async () => {
  await using fixture = await startFixture();
  const parse = (more: object) => drive(fixture).parsed({ ...GROUP, group: null, ...more });
  expect(() => parse({})).toThrow('Set project_owner and project_name, or projects, or group.');
  expect(() => parse({ project_name: 'kitchen' })).toThrow('project_owner');
  expect(() => parse({ projects: ['a/b'], group: 'a' })).toThrow('Set one of');
  expect(() => parse({ projects: Array.from({ length: 101 }, () => 'a/b') })).toThrow('projects');
  await using context = openTestContext();
  await expect(drive(fixture).check(context, { ...GROUP, group: 'nobody' })).rejects.toThrow(
    'The group nobody does not exist, or the token cannot see it.',
  );
});
