import { expect, test } from 'vitest';
import {
  TRACKER_CREDENTIAL,
  TRACKER_SETTINGS,
} from '#src/connectors/kinds/tracker/tracker-settings.ts';

test.each([
  ['https://x.atlassian.net/jira/software/projects/ABC/boards/1', 'https://x.atlassian.net', 'ABC'],
  ['https://x.atlassian.net/jira/software/c/projects/ab2/issues', 'https://x.atlassian.net', 'AB2'],
  ['x.atlassian.net', 'https://x.atlassian.net', null],
  ['https://x.atlassian.net/browse/ABC-12?focusedId=1', 'https://x.atlassian.net', 'ABC'],
  ['https://jira.example.com:8443/jira/browse/ABC-12', 'https://jira.example.com:8443/jira', 'ABC'],
  ['https://jira.example.com/jira/', 'https://jira.example.com/jira', null],
  [
    'https://jira.example.com/secure/RapidBoard.jspa?rapidView=1&projectKey=OPS',
    'https://jira.example.com',
    'OPS',
  ],
  ['https://work.example.com/jira/software/c/projects/ABC', 'https://work.example.com', 'ABC'],
])('%s is read as the site %s', (link, root, projectKey) => {
  expect(TRACKER_SETTINGS.parse({ tracker_base_url: link })).toMatchObject({ root, projectKey });
  expect(TRACKER_SETTINGS.parse({ jira_base_url: link, project_key: 'SET' })).toMatchObject({
    root,
    projectKey: 'SET',
  });
});

test('invalid settings name the field', () => {
  const problems = (settings: object): string[] =>
    TRACKER_SETTINGS.safeParse(settings).error?.issues.map(
      (issue) => `${issue.path.join('.')}: ${issue.message}`,
    ) ?? [];
  expect(problems({})).toEqual([expect.stringMatching(/^tracker_base_url: is required/)]);
  expect(problems({ tracker_base_url: '' })).toEqual([
    expect.stringMatching(/^tracker_base_url: is required/),
  ]);
  expect(problems({ tracker_base_url: 'a.net', jira_base_url: 'a.net' })[0]).toContain(
    'set one of the two',
  );
  expect(problems({ tracker_base_url: 'ftp://a' })[0]).toMatch(
    /^tracker_base_url: is not a web address/,
  );
  expect(problems({ tracker_base_url: 'https://u:p@a.net' })[0]).toMatch(/^tracker_base_url: /);
  expect(problems({ tracker_base_url: 'a.net', jql: 'x' })[0]).toContain('jql');
  expect(TRACKER_CREDENTIAL.safeParse({ jira_user_email: 'a@b.c' }).error?.issues[0]?.path).toEqual(
    ['jira_api_token'],
  );
  expect(TRACKER_CREDENTIAL.parse({ tracker_user_email: 'a@b.c', tracker_api_token: 't' })).toEqual(
    { user: 'a@b.c', token: 't' },
  );
});
