import { OutboundError } from '#src/platform/outbound.ts';
import { callableUrl } from '#src/platform/outbound-hop.ts';
import { withoutLastSlashes } from '#src/platform/base-url.ts';
import { isObject, type JsonObject } from './json-object.ts';
import { wrongDefinition } from './read-openapi.ts';

/**
 * The URL of an operation: the first server of the operation, its path or the document, with the defaults of its
 * variables.
 * @param owners objects that may name servers, the nearest first
 * @throws Problem BAD_REQUEST
 */
export function readServer(place: string, owners: readonly JsonObject[]): string {
  const owner = owners.findIndex(({ servers }) => Array.isArray(servers) && servers.length > 0);
  const servers = owners[owner]?.['servers'];
  const where = owner === owners.length - 1 || owner === -1 ? 'servers' : `${place} (servers)`;
  const server: unknown = Array.isArray(servers) ? servers[0] : null;
  if (!isObject(server) || typeof server['url'] !== 'string') {
    throw wrongDefinition(
      where,
      'must name the address of the service, such as [{"url": "https://api.example.com"}]',
    );
  }
  return readAddress(fillVariables(server['url'], server['variables'], where), where);
}

function fillVariables(template: string, variables: unknown, place: string): string {
  return template.replaceAll(/\{([^{}]*)\}/g, (_, name: string) => {
    const variable =
      isObject(variables) && Object.hasOwn(variables, name) ? variables[name] : undefined;
    const value = isObject(variable) ? variable['default'] : undefined;
    if (typeof value === 'string') return value;
    throw wrongDefinition(place, `names the variable {${name}}, which has no default`);
  });
}

function readAddress(text: string, place: string): string {
  const url = /^https?:\/\//i.test(text) ? URL.parse(text) : null;
  if (url === null) {
    throw wrongDefinition(
      place,
      'must begin with an absolute address, https:// or http://, such as https://api.example.com/v1',
    );
  }
  if (url.search !== '' || url.hash !== '') {
    throw wrongDefinition(place, 'must be an address without ? and #');
  }
  try {
    callableUrl(new URL(url));
  } catch (error) {
    if (!(error instanceof OutboundError)) throw error;
    throw wrongDefinition(place, `cannot be called. ${error.message}`.replace(/\.$/, ''));
  }
  return withoutLastSlashes(url.href);
}
