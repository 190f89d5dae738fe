import { writeFileSync } from 'node:fs';
import { CLIENT_TYPES_PATH, generateClientTypes } from './client-types.ts';

// `npm run client:types`: regenerates the types of the client.
writeFileSync(CLIENT_TYPES_PATH, await generateClientTypes());
