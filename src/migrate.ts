import { parseArgs } from 'node:util';
import { readConfig } from './platform/config.ts';
import { StartError } from './platform/errors.ts';
import { exitOnStartFailure } from './platform/exit-on-start-failure.ts';

const USAGE = 'Usage: npm run migrate [-- --reembed] [-- --accept-lost-key <id>]';

/** `npm run migrate`: see `migrateDatabase`. */
async function main(): Promise<void> {
  const options = readOptions();
  const config = readConfig();
  // Loading the rest takes seconds; a wrong setting is reported before that.
  const { migrateDatabase } = await import('./migrate-database.ts');
  await migrateDatabase(config, options);
}

function readOptions(): { reembed: boolean; lostKey: string | undefined } {
  try {
    const { values } = parseArgs({
      options: {
        reembed: { type: 'boolean', default: false },
        'accept-lost-key': { type: 'string' },
      },
    });
    return { reembed: values.reembed, lostKey: values['accept-lost-key'] };
  } catch (cause) {
    if (!(cause instanceof TypeError)) throw cause;
    // The parser's advice on values that start with a dash is on separate lines.
    const [sentence = ''] = cause.message.split('\n');
    throw new StartError(`${sentence}${sentence.endsWith('.') ? '' : '.'} ${USAGE}`, { cause });
  }
}

main().catch(exitOnStartFailure);
