import { writeFileSync } from 'node:fs';
import { CLIENT_TYPES_PATH, generateClientTypes } from './client-types.ts';

// `npm run client:types`: writes the types of the client anew.
writeFileSync(CLIENT_TYPES_PATH, await generateClientTypes());
