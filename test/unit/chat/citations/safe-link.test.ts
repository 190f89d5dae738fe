import { expect, it } from 'vitest';
import { safeLink } from '#src/chat/citations/safe-link.ts';

it.each([
  'javascript:alert(1)',
  'JaVaScRiPt:alert(1)',
  'java\tscript:alert(1)',
  'data:text/html,x',
  'java&#115;cript:alert(1)',
  'javascript&colon;alert(1)',
])('the unsafe link %j is hidden', (link) => {
  expect(safeLink(link)).toBeNull();
});

it.each(['https://example.com/?a=1&amp;b=2', '/docs/a&b', 'mailto:ann@example.com', 'page'])(
  'the link %j is shown unchanged',
  (link) => {
    expect(safeLink(link)).toBe(link);
  },
);
