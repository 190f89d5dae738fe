import { writeFileSync } from 'node:fs';
import { CLIENT_TYPES_PATH, generateClientTypes } from './client-types.ts';
import { CONSOLE_TYPES_PATH, generateConsoleTypes } from './console-types.ts';

// `npm run client:types`: regenerates the types of the client and of the console.
writeFileSync(CLIENT_TYPES_PATH, await generateClientTypes());
writeFileSync(CONSOLE_TYPES_PATH, await generateConsoleTypes());
