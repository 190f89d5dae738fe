import packageJson from '#package.json' with { type: 'json' };

/** The version of this code, from package.json. */
export const VERSION: string = packageJson.version;
