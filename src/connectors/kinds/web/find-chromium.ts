import { existsSync } from 'node:fs';

/** Where distributions and installers put it. */
const USUAL_PLACES = [
  '/usr/bin/chromium',
  '/usr/bin/chromium-browser',
  '/usr/bin/google-chrome',
  '/Applications/Google Chrome.app/Contents/MacOS/Google Chrome',
];

/** The browser that the settings name, or else one in a usual location; null when there is none. */
export function findChromium(setting: string | undefined): string | null {
  return setting ?? USUAL_PLACES.find((path) => existsSync(path)) ?? null;
}
