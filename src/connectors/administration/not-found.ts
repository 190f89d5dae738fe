import { Problem } from '#src/platform/errors.ts';

/** For an id that does not exist in this workspace. */
export function unknownConnector(id: number): Problem {
  return new Problem(
    'NOT_FOUND',
    `Connector ${id} does not exist. GET /manage/admin/connector lists the connectors.`,
  );
}

export function unknownCredential(id: number): Problem {
  return new Problem(
    'NOT_FOUND',
    `Credential ${id} does not exist. GET /manage/admin/credential lists the credentials.`,
  );
}

export function unknownPair(id: number): Problem {
  return new Problem(
    'NOT_FOUND',
    `There is no connector-credential pair ${id}. GET /manage/admin/cc-pair lists the pairs.`,
  );
}
