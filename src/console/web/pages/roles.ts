/** What each role may, in words. */
export const ROLES = [
  { value: 'admin', text: 'admin', help: 'everything in this workspace' },
  { value: 'member', text: 'member', help: 'asks, finds leads, writes messages, pushes documents' },
  { value: 'ingest', text: 'ingest', help: 'pushes documents and reads their state, nothing else' },
  { value: 'read', text: 'read', help: 'searches and asks, changes nothing' },
  {
    value: 'observer',
    text: 'observer',
    help: 'sees operations, changes nothing; of use in the operator’s workspace',
  },
] as const;

export type Role = (typeof ROLES)[number]['value'];

export function toRole(value: unknown): Role {
  return ROLES.find((role) => role.value === value)?.value ?? 'read';
}
