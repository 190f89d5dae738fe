import { describe, expect, test } from 'vitest';
import { runCommand, startFakeService } from '#test/support/fake-service.ts';

const entry = (id: number, value: string) => ({
  id,
  kind: value.includes('@') ? 'email' : 'domain',
  value,
  reason: 'manual',
  note: '',
  created_at: '2026-03-31T10:00:00.000Z',
});

describe('do-not-contact', () => {
  test('add separates addresses from domains and sends a thousand at a time', async () => {
    await using service = await startFakeService(() => ({
      json: { do_not_contact: [entry(1, 'a@b.example')] },
    }));
    const many = Array.from({ length: 1_000 }, (_, n) => `u${n}@b.example`);
    const words = ['do-not-contact', 'add', ...many, 'acme.example', '--note', 'by phone'];
    const run = await runCommand(words, { url: service.url });
    expect(run).toMatchObject({ code: 0, stdout: '2 on the list.\n' });
    expect(service.requests.map(({ body }) => body)).toEqual([
      { emails: many, domains: [], note: 'by phone' },
      { emails: [], domains: ['acme.example'], note: 'by phone' },
    ]);
  });

  test('list reads all pages and prints one JSON list', async () => {
    await using service = await startFakeService(({ url }) => ({
      json: url.includes('cursor=next')
        ? { do_not_contact: [entry(1, 'b.example')], next_cursor: null }
        : { do_not_contact: [entry(2, 'a@b.example')], next_cursor: 'next' },
    }));
    const run = await runCommand(['do-not-contact', 'list', '--json'], { url: service.url });
    expect(JSON.parse(run.stdout)).toEqual([entry(2, 'a@b.example'), entry(1, 'b.example')]);
    expect(service.requests.map(({ url }) => url)).toEqual([
      '/do-not-contact?limit=200',
      '/do-not-contact?limit=199&cursor=next',
    ]);
  });

  test('remove looks up the id, and fails for an address that is not listed', async () => {
    await using service = await startFakeService(({ method, url }) => {
      if (method === 'DELETE') return { json: { status: 'deleted', id: 7 } };
      const found = url.includes('a%2Bb%40c.example') ? [entry(7, 'a+b@c.example')] : [];
      return { json: { do_not_contact: found, next_cursor: null } };
    });
    const words = ['do-not-contact', 'remove', 'a+b@c.example'];
    const run = await runCommand(words, { url: service.url });
    expect(run).toMatchObject({ code: 0, stdout: '1 removed.\n' });
    expect(service.requests.at(-1)).toMatchObject({ method: 'DELETE', url: '/do-not-contact/7' });
    const missing = await runCommand(['do-not-contact', 'remove', 'x.example'], {
      url: service.url,
    });
    expect(missing.code).toBe(1);
    expect(missing.stderr).toContain('x.example is not on the list');
  });
});
