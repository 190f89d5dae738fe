import { z } from 'zod';

export const gitlabSettings = z
  .strictObject({
    project_owner: z
      .string()
      .trim()
      .min(1)
      .describe('The group or user that owns the project, subgroups included: "acme/tools".'),
    project_name: z
      .string()
      .trim()
      .min(1)
      .describe('The name of the project as its address shows it: "kitchen".'),
    state_filter: z
      .enum(['all', 'opened', 'closed'])
      .default('all')
      .describe('Which issues and merge requests are indexed; merged ones count as closed.'),
    include_mrs: z.boolean().default(true).describe('Index merge requests with their comments.'),
    include_issues: z.boolean().default(true).describe('Index issues with their comments.'),
    include_code_files: z
      .boolean()
      .default(false)
      .describe('Index the text files of the default branch.'),
  })
  .refine(
    (settings) => settings.include_mrs || settings.include_issues || settings.include_code_files,
    {
      error:
        'Nothing would be indexed: switch on include_mrs, include_issues or include_code_files.',
      path: ['include_mrs'],
    },
  );
export type GitlabSettings = z.infer<typeof gitlabSettings>;

export const gitlabCredential = z.strictObject({
  gitlab_url: z
    .url({ protocol: /^https?$/ })
    .describe('The address of GitLab, with its path if it has one: https://gitlab.com.'),
  gitlab_access_token: z
    .string()
    .trim()
    .min(1)
    .describe('A personal, group or project access token with the scope read_api.'),
});
export type GitlabCredential = z.infer<typeof gitlabCredential>;
