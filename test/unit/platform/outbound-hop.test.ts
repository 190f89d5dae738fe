import { describe, expect, it } from 'vitest';
import { nextHop, type OutboundHop } from '#src/platform/outbound-hop.ts';

function hop(rest: Partial<OutboundHop> = {}): OutboundHop {
  return {
    url: new URL('https://api.example/v1'),
    method: 'POST',
    headers: { authorization: 'Bearer secret', 'x-key': 'secret', accept: 'text/plain' },
    body: 'the body',
    ...rest,
  };
}

describe('a redirect of a request with a body', () => {
  it('from https to http is refused, because the body would be sent in the clear', () => {
    expect(() => nextHop(hop(), 307, 'http://api.example/v1')).toThrow(
      'api.example redirected a request with a body from https to http',
    );
    expect(() => nextHop(hop({ method: 'PUT' }), 302, 'http://other.example/')).toThrow(
      'in the clear',
    );
  });

  it('that keeps or upgrades to https sends the body again', () => {
    expect(nextHop(hop(), 307, '/v2')).toMatchObject({ method: 'POST', body: 'the body' });
    const plain = hop({ url: new URL('http://api.example/v1') });
    expect(nextHop(plain, 308, 'https://api.example/v1')).toMatchObject({ body: 'the body' });
  });

  it('that becomes a GET continues without the body, even to http', () => {
    for (const [method, status] of [
      ['POST', 301],
      ['POST', 302],
      ['POST', 303],
      ['PUT', 303],
      ['DELETE', 303],
    ] as const) {
      expect(nextHop(hop({ method }), status, 'http://api.example/done')).toMatchObject({
        method: 'GET',
        body: null,
      });
    }
    expect(nextHop(hop({ method: 'HEAD', body: null }), 303, '/done').method).toBe('HEAD');
  });
});

describe('a redirect to another origin', () => {
  it('drops every header that may be secret', () => {
    for (const location of [
      'https://other.example/',
      'https://api.example:8443/',
      '//other.example/',
    ]) {
      const { headers } = nextHop(hop(), 307, location);
      expect(JSON.stringify(headers)).not.toContain('secret');
      expect(headers).toHaveProperty('accept');
    }
  });

  it('stays complete within the same origin', () => {
    expect(nextHop(hop(), 307, '/v2').headers).toMatchObject({ authorization: 'Bearer secret' });
  });
});
