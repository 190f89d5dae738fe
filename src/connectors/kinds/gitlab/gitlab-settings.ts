import { z } from 'zod';

/** For more projects, use a group, or several connectors. */
const MAX_PROJECTS = 100;

function optionalText(description: string) {
  return z.string().trim().min(1).nullable().default(null).describe(description);
}

export const gitlabSettings = z
  .strictObject({
    project_owner: optionalText(
      'The group or user that owns the one project to index, subgroups included: "acme/tools".',
    ).meta({ title: 'Owner of the project' }),
    project_name: optionalText('The name of that project as its address shows it: "kitchen".').meta(
      { title: 'Project' },
    ),
    projects: z
      .array(z.string().trim().min(1))
      .min(1)
      .max(MAX_PROJECTS)
      .nullable()
      .default(null)
      .describe('Several projects by their whole paths: ["acme/tools/kitchen", "acme/garden"].')
      .meta({ title: 'Several projects' }),
    group: optionalText('A group, of which all projects are indexed, those of subgroups included.'),
    state_filter: z
      .enum(['all', 'opened', 'closed'])
      .default('all')
      .describe('Which issues and merge requests are indexed; merged ones count as closed.')
      .meta({ title: 'State' }),
    include_mrs: z
      .boolean()
      .default(true)
      .describe('Index merge requests with their comments.')
      .meta({ title: 'Merge requests' }),
    include_issues: z
      .boolean()
      .default(true)
      .describe('Index issues with their comments.')
      .meta({ title: 'Issues' }),
    include_code_files: z
      .boolean()
      .default(false)
      .describe('Index the text files of the default branch.')
      .meta({ title: 'Files' }),
  })
  .refine(
    (settings) => settings.include_mrs || settings.include_issues || settings.include_code_files,
    {
      error:
        'Nothing would be indexed: switch on include_mrs, include_issues or include_code_files.',
      path: ['include_mrs'],
    },
  )
  .superRefine(({ project_owner, project_name, projects, group }, issues) => {
    const isOne = project_owner !== null || project_name !== null;
    const ways = [isOne, projects !== null, group !== null].filter(Boolean).length;
    const refuse = (field: string, message: string): void =>
      issues.addIssue({ code: 'custom', path: [field], message });
    if (ways === 0) {
      refuse('project_name', 'Set project_owner and project_name, or projects, or group.');
    } else if (ways > 1) {
      refuse(
        group === null ? 'projects' : 'group',
        'Set one of project_owner with project_name, projects, and group.',
      );
    } else if (isOne && project_name === null) {
      refuse('project_name', 'project_owner names the project only together with project_name.');
    } else if (isOne && project_owner === null) {
      refuse('project_owner', 'project_name names the project only together with project_owner.');
    }
  });
export type GitlabSettings = z.infer<typeof gitlabSettings>;

export const gitlabCredential = z.strictObject({
  gitlab_url: z
    .url({ protocol: /^https?$/ })
    .describe('The address of GitLab, with its path if it has one: https://gitlab.com.')
    .meta({ title: 'Address of GitLab' }),
  gitlab_access_token: z
    .string()
    .trim()
    .min(1)
    .describe('A personal, group or project access token with the scope read_api.')
    .meta({ title: 'Token', writeOnly: true }),
});
export type GitlabCredential = z.infer<typeof gitlabCredential>;
