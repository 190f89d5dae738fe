import { render } from 'preact';
import { whenSignedOut } from '#src/console/web/data/call.ts';
import { startClock } from '#src/console/web/data/now.ts';
import { followLinks } from '#src/console/web/data/place.ts';
import { leave, loadSession } from '#src/console/web/data/session.ts';
import { applyTheme } from '#src/console/web/data/theme.ts';
import { html } from '#src/console/web/parts/html.ts';
import { App } from './shell.ts';

applyTheme();
followLinks();
startClock();
whenSignedOut(leave);
const root = document.querySelector('#app');
if (root !== null) render(html`<${App} />`, root);
await loadSession();
