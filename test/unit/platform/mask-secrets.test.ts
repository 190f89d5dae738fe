import { describe, expect, it } from 'vitest';
import { findMasked, maskSecrets, restoreMasked } from '#src/platform/mask-secrets.ts';

const BULLETS = '••••••••••••';

describe('masking a credential', () => {
  it('shows four characters at each end of a long text and nothing of a short one', () => {
    const masked = maskSecrets({ token: 'xoxb-1234567890-abcd', pin: '0123456789abc', none: '' });
    expect(masked).toEqual({ token: 'xoxb...abcd', pin: BULLETS, none: BULLETS });
  });

  it('masks a text of exactly fourteen characters, and counts a surrogate pair as one', () => {
    expect(maskSecrets({ a: '12345678901234', b: '😀'.repeat(14), c: '😀'.repeat(13) })).toEqual({
      a: '1234...1234',
      b: '😀😀😀😀...😀😀😀😀',
      c: BULLETS,
    });
  });

  it('hides numbers, keeps booleans and null, and descends into lists and objects', () => {
    const json = {
      port: 8443,
      tls: true,
      note: null,
      keys: ['aaaaaaaaaaaaaaaa', 7],
      oauth: { refresh: 'r-0123456789abcdef', expires: 3600 },
    };
    expect(maskSecrets(json)).toEqual({
      port: '*****',
      tls: true,
      note: null,
      keys: ['aaaa...aaaa', '*****'],
      oauth: { refresh: 'r-01...cdef', expires: '*****' },
    });
  });

  it('shows values that are not secret in full, at every depth', () => {
    const json = {
      wiki_base: 'https://wiki.example.com',
      oauth: { cloud_id: '11111111-2222', scopes: ['read:everything-there-is'] },
    };
    expect(maskSecrets(json)).toEqual(json);
  });

  it('treats a key named __proto__ like any other', () => {
    const json = JSON.parse('{"__proto__": {"polluted": "0123456789abcdef"}}');
    expect(JSON.stringify(maskSecrets(json))).toBe('{"__proto__":{"polluted":"0123...cdef"}}');
    expect(({} as Record<string, unknown>)['polluted']).toBeUndefined();
  });
});

describe('a masked credential sent back', () => {
  const stored = {
    token: 'xoxb-1234567890-abcd',
    pin: 'short',
    port: 8443,
    keys: ['aaaaaaaaaaaaaaaa', 'b'],
    oauth: { refresh: 'r-0123456789abcdef' },
    scopes: ['read'],
  };

  it('regains every stored secret when nothing was edited', () => {
    expect(restoreMasked(maskSecrets(stored), stored)).toEqual(stored);
  });

  it('accepts the edited fields and keeps the rest', () => {
    const sent = { ...maskSecrets(stored), token: 'xoxb-new', keys: ['aaaa...aaaa', 'c', 'd'] };
    expect(restoreMasked(sent, stored)).toEqual({
      ...stored,
      token: 'xoxb-new',
      keys: ['aaaaaaaaaaaaaaaa', 'c', 'd'],
    });
  });

  it('omits what was omitted', () => {
    expect(restoreMasked({ pin: BULLETS }, stored)).toEqual({ pin: 'short' });
  });

  it('does not restore a mask of another value, and locates it', () => {
    const sent = {
      token: 'xoxp...9999',
      oauth: { refresh: 'r-01...cdef', keys: [{ a: '*****' }] },
    };
    const restored = restoreMasked(sent, stored);
    expect(restored).toEqual({
      token: 'xoxp...9999',
      oauth: { refresh: 'r-0123456789abcdef', keys: [{ a: '*****' }] },
    });
    expect(findMasked(restored)).toBe('token');
    expect(findMasked({ oauth: { keys: [{ a: '*****' }] } })).toBe('oauth.keys[0].a');
    expect(findMasked({ pin: BULLETS })).toBe('pin');
  });

  it('does not mistake ordinary text for a mask', () => {
    expect(
      findMasked({ a: '', b: 'xoxb-1234', c: 'a...b', d: ['abcd..wxyz'], scopes: '*****', e: 12 }),
    ).toBeNull();
  });
});
