import { z } from 'zod';

export const githubSettings = z
  .strictObject({
    repo_owner: z
      .string()
      .trim()
      .min(1)
      .describe('The organization or user that owns the repositories: "acme".')
      .meta({ title: 'Owner' }),
    repositories: z
      .string()
      .nullable()
      .default(null)
      .describe('Names of repositories, separated by commas. Empty: all that the owner has.'),
    state_filter: z
      .enum(['all', 'open', 'closed'])
      .default('all')
      .describe('Which issues and pull requests are indexed.')
      .meta({ title: 'State' }),
    include_prs: z
      .boolean()
      .default(true)
      .describe('Index pull requests with their reviews.')
      .meta({ title: 'Pull requests' }),
    include_issues: z
      .boolean()
      .default(false)
      .describe('Index issues with their comments.')
      .meta({ title: 'Issues' }),
    include_files: z
      .boolean()
      .default(false)
      .describe('Index the text files of a branch.')
      .meta({ title: 'Files' }),
    branch: z
      .string()
      .trim()
      .nullable()
      .default(null)
      .describe('The branch whose files are indexed. Empty: the default branch.'),
    github_base_url: z
      .url({ protocol: /^https?$/ })
      .nullable()
      .default(null)
      .describe('Web address of GitHub Enterprise: https://github.example.com. Empty: github.com.')
      .meta({ title: 'Address of GitHub Enterprise' }),
  })
  .refine((settings) => settings.include_prs || settings.include_issues || settings.include_files, {
    error: 'Nothing would be indexed: switch on include_prs, include_issues or include_files.',
    path: ['include_prs'],
  });
export type GithubSettings = z.infer<typeof githubSettings>;

export const githubCredential = z.strictObject({
  github_access_token: z
    .string()
    .trim()
    .min(1)
    .describe(
      'A personal access token, or the token of a GitHub App, that may read the repositories.',
    )
    .meta({ title: 'Token', writeOnly: true }),
});
export type GithubCredential = z.infer<typeof githubCredential>;
