import { describe, expect, it } from 'vitest';
import { ApiProblem } from '#src/console/web/data/problem.ts';
import { wrongFields } from '#src/console/web/parts/form-field.ts';
import { fieldsOf, objectFrom, uploadKeys } from '#src/console/web/parts/schema-fields.ts';

const SCHEMA = {
  type: 'object',
  required: ['base_url', 'is_cloud'],
  properties: {
    base_url: {
      type: 'string',
      minLength: 1,
      maxLength: 80,
      title: 'Address',
      description: 'As `https://…`.',
    },
    space: { type: ['string', 'null'] },
    state_filter: { type: 'string', enum: ['all', 'not_closed'], default: 'all' },
    is_cloud: { type: 'boolean' },
    include_files: { type: 'boolean', default: true },
    max_pages: { type: 'integer', minimum: 1, maximum: 200, default: 20 },
    batch_size: { type: 'integer', minimum: 1, maximum: Number.MAX_SAFE_INTEGER },
    labels: { anyOf: [{ type: 'array', items: { type: 'string' } }, { type: 'null' }] },
    parts: { type: 'array', items: { type: 'string', enum: ['body', 'head'] } },
    api_token: {
      anyOf: [{ type: 'string', minLength: 1 }, { type: 'null' }],
      writeOnly: true,
      default: 'x',
    },
    site: { anyOf: [{ type: 'string', format: 'uri' }, { type: 'null' }] },
    old_name: { type: 'string', deprecated: true },
    nothing: { type: 'null' },
    whatever: { type: 'object' },
    file_ids: { type: 'array', items: { type: 'string' }, 'x-upload': 'file_paths' },
    file_names: { type: 'array', items: { type: 'string' }, 'x-upload': 'file_names' },
  },
};
const fields = fieldsOf(SCHEMA, 'settings');
const field = (key: string) => fields.find(({ name }) => name === `settings.${key}`);

describe('the fields of a JSON Schema', () => {
  it('have the kind of control that fits each property', () => {
    expect(fields.map(({ name, kind }) => [name.slice('settings.'.length), kind])).toEqual([
      ['base_url', 'text'],
      ['space', 'text'],
      ['state_filter', 'choice'],
      ['is_cloud', 'check'],
      ['include_files', 'check'],
      ['max_pages', 'number'],
      ['batch_size', 'number'],
      ['labels', 'lines'],
      ['parts', 'many'],
      ['api_token', 'password'],
      ['site', 'url'],
      ['file_ids', 'files'],
    ]);
  });

  it('carry names, help, bounds, lengths and what is required', () => {
    expect(field('base_url')).toMatchObject({
      label: 'Address',
      help: 'As https://….',
      isRequired: true,
      minLength: 1,
      maxLength: 80,
    });
    expect(field('space')).toMatchObject({ label: 'Space', isRequired: false });
    expect(field('api_token')?.label).toBe('API token');
    expect(field('max_pages')).toMatchObject({ min: 1, max: 200, value: 20 });
    expect(field('batch_size')).not.toHaveProperty('max');
    expect(field('labels')?.help).toBe('One per line.');
    // A box that is not ticked says no: it cannot be required.
    expect(field('is_cloud')?.isRequired).toBe(false);
    expect(field('state_filter')).toMatchObject({
      isRequired: true,
      value: 'all',
      options: [
        { value: 'all', text: 'all' },
        { value: 'not_closed', text: 'not closed' },
      ],
    });
  });

  it('begin with the present values, and never with a secret', () => {
    const now = { base_url: 'https://a.example', include_files: false, api_token: 'abcd...wxyz' };
    const values = fieldsOf(SCHEMA, 'settings', now).map(({ name, value }) => [name, value]);
    expect(Object.fromEntries(values)).toMatchObject({
      'settings.base_url': 'https://a.example',
      'settings.include_files': false,
      'settings.max_pages': 20,
      'settings.api_token': undefined,
    });
  });

  it('become an object without what was left empty', () => {
    const values = {
      'settings.base_url': 'https://a.example',
      'settings.space': null,
      'settings.include_files': false,
      'settings.max_pages': 0,
      'settings.labels': [],
      'settings.parts': ['body'],
      'settings.api_token': '',
      'other.site': 'https://b.example',
    };
    expect(objectFrom(SCHEMA, 'settings', values)).toEqual({
      base_url: 'https://a.example',
      include_files: false,
      max_pages: 0,
      parts: ['body'],
    });
  });

  it('say which keys an upload fills', () => {
    expect([...uploadKeys(SCHEMA)]).toEqual([
      ['file_paths', 'file_ids'],
      ['file_names', 'file_names'],
    ]);
  });
});

describe('what the service refuses', () => {
  const problem = (message: string) =>
    new ApiProblem(message, { status: 400, code: 'BAD_REQUEST' });
  const shown = (message: string) => {
    const { byField, rest } = wrongFields(problem(message), fields);
    return [Object.fromEntries(byField), rest?.message ?? null];
  };

  it('stands at the fields that it names, without the hint for programs', () => {
    expect(
      shown(
        'settings.base_url: is required; body.settings.labels[2]: is empty. GET /kinds lists all.',
      ),
    ).toEqual([{ 'settings.base_url': 'is required', 'settings.labels': 'is empty.' }, null]);
  });

  it.each(['a.example: does not answer', 'Wrong; settings.base_url: is required', 'No'])(
    'is shown whole when it names no field alone: %s',
    (message) => {
      expect(shown(message)[1]).toBe(message);
    },
  );
});
