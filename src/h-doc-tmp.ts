import { describeApi } from '#src/api/openapi.ts';
import { ROUTES } from '#src/api/routes/index.ts';
const d = describeApi(ROUTES, { version: '1', serverUrl: '/' }) as any;
console.log(JSON.stringify(d.paths['/persona'].post.requestBody).slice(0, 300));
console.log(JSON.stringify(d.paths['/persona'].post.responses[200]).slice(0, 300));
console.log(JSON.stringify(d.paths['/tool'].get.responses[200]).slice(0, 300));
console.log(JSON.stringify(d.components.schemas.NewAgent).slice(0, 300));
