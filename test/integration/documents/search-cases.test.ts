// @module-tag database
import { sql } from 'kysely';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';

import { asPushed, CORPUS } from '#test/support/search-corpus.ts';
import { openSearchStage, searchCases, type SearchStage } from '#test/support/search-stage.ts';
import type { TestUser } from '#test/support/test-users.ts';

let stage: SearchStage;
let owner: TestUser;

beforeAll(async () => {
  stage = await openSearchStage();
  owner = stage.owner;
});
afterAll(() => stage[Symbol.asyncDispose]());

const search = (request: string | object, user?: TestUser) => stage.search(request, user);

const { firstFor, exactlyFor, neverFor } = searchCases(search);

describe('phrases', () => {
  exactlyFor([
    ['"VPN client"', ['vpn-reset']],
    ['"client of the legacy VPN"', ['vpn-legacy']],
    ['"vpn CLIENT" settings', ['vpn-reset']],
    ['"client VPN"', []],
    ['"time sharing"', ['split-1']],
    ['"time-sharing"', ['split-1']],
    ['"congé annuel"', ['fr']],
    ['"conge annuel"', ['fr']],
    ['"Strassenreinigungsdienst zahlt"', ['de-compound']],
    ['"supérieur hierarchique"', ['fr']],
    ['"nobler in the mind"', ['hamlet']],
    ['"reset guide"', ['vpn-reset']],
    ['"passwords have" "fourteen letters"', ['policy']],
    ['"passwords have fourteen"', ['policy']],
  ]);
  firstFor([['"to be or not to be" question', 'hamlet']]);
});

describe('excluded words', () => {
  neverFor([
    ['VPN -legacy', 'vpn-legacy'],
    ['reset VPN -guide', 'vpn-reset'],
    ['library update -"CVE-2024-3094"', 'cve'],
    ['release crash -3.11.2', 'v3.11.2'],
    ['security policy passwords -title:draft', 'draft'],
  ]);
});

describe('title:', () => {
  exactlyFor([
    ['title:zeppelin', ['quarterly']],
    ['title:onboarding', ['onboarding']],
    ['title:"security policy" -title:draft', ['policy']],
    ['title:invoices title:00018', ['invoice-18']],
    ['title:3.11.2', ['v3.11.2']],
    ['title:3.11', ['v3.11.2', 'v3.11.21']],
    ['title:release -title:3.11 -title:2.11.3', ['v3.12']],
    ['title:time-sharing', ['split-1']],
    ['title:sharing-time', []],
    ['title:C++20', ['lang-cpp20']],
    ['title:C++', ['lang-cpp20']],
    ['title:C', []],
  ]);
});

describe('titles', () => {
  firstFor([
    ['onboarding checklist', 'onboarding'],
    ['zeppelin report', 'quarterly'],
    ['error codes', 'errors'],
  ]);
});

describe('identifiers', () => {
  firstFor([
    ['parseHttpRequest', 'parser'],
    ['max_retries', 'parser'],
    ['http request parse', 'parser'],
    ['ERR_CONN_4022', 'errors'],
    ['CVE-2024-3094', 'cve'],
    ['INV-2024-00018', 'invoice-18'],
    ['anna.schmidt@mill.example', 'mail'],
  ]);
});

describe('versions', () => {
  firstFor([
    ['3.11.2', 'v3.11.2'],
    ['release 3.11.21', 'v3.11.21'],
    ['version 3.12 crash', 'v3.12'],
    ['node 24', 'node-24'],
    ['2.14.3', 'v2.14.3'],
    ['3.14.2', 'v3.14.2'],
    ['v2.14.3 importer', 'v2.14.3'],
    ['2.14', 'v2.14.3'],
    ['3.14', 'v3.14.2'],
    ['10.20.30.40', 'address'],
  ]);
  exactlyFor([['"3.11.2"', ['v3.11.2']]]);
});

describe('symbols', () => {
  firstFor([
    ['c++ engine', 'lang-cpp'],
    ['C#', 'lang-cs'],
    ['F#', 'lang-fs'],
    ['.NET', 'lang-cs'],
    ['dotnet', 'lang-cs'],
    ['net worth', 'net-worth'],
    ['nodejs', 'lang-js'],
    ['node.js', 'lang-js'],
    ['C++20', 'lang-cpp20'],
    ['written in c', 'lang-c'],
    ['C', 'lang-c'],
    ['🎉', 'party'],
  ]);
  exactlyFor([
    ['"C++"', ['lang-cpp', 'lang-cpp20']],
    ['"C++17" had', ['lang-cpp20']],
    ['"written in C++"', ['lang-cpp']],
    ['"C"', ['lang-c']],
    ['".NET"', ['lang-cs']],
    ['"dotnet"', []],
  ]);
  neverFor([
    ['written in -C++', 'lang-cpp'],
    ['written in -C', 'lang-c'],
  ]);
  it('-C++ leaves C, and -C leaves C++', async () => {
    expect((await search('written in -C++')).ids).toEqual(
      expect.arrayContaining(['lang-c', 'lang-cs', 'lang-fs']),
    );
    expect((await search('written in -C')).ids).toContain('lang-cpp');
    expect((await search('C++')).ids.slice(0, 2).toSorted()).toEqual(['lang-cpp', 'lang-cpp20']);
  });
});

describe('typing errors', () => {
  firstFor([
    ['kuberntes', 'kubernetes'],
    ['acommodation', 'lodging'],
    ['databse vacuum', 'database'],
    ['reimbursment reciept', 'receipt'],
    ['I would like to know about otter husbandry please', 'otters'],
    ['stories about horses', 'horses'],
    ['kuber netes', 'kubernetes'],
    ['probe of a kuber netes container', 'kubernetes'],
    ['title:onbaording', 'onboarding'],
    ['gruen', 'de-green'],
    ['suess', 'de-green'],
    ['smoerrebroed', 'da-lunch'],
    ['smorebrod', 'da-lunch'],
  ]);
  exactlyFor([['"kuberntes"', []]]);

  it.each<[string, string | null]>([
    ['databse vacuum', 'database vacuum'],
    ['kuber netes', 'kubernetes'],
    ['title:onbaording', 'title:onboarding'],
    ['I would like to know about otter husbandry please', null],
    ['Kündigung', null],
    ['gruen', null],
  ])('%s is said to be %j', async (query, corrected) => {
    expect((await search(query)).body.corrected_query).toBe(corrected);
  });
});

describe('languages', () => {
  firstFor([
    ['Urlaubsanträge', 'de'],
    ['groessere Aenderungen', 'de'],
    ['demande de conge annuel', 'fr'],
    ['pedir vacaciones', 'es'],
    ['Versicherung', 'de-compound'],
    ['Haftpflicht', 'de-compound'],
    ['Kündigung', 'de-notice'],
    ['strassenreinigung', 'de-compound'],
    ['lodz', 'pl'],
    ['kobenhavn', 'da'],
    ['isi', 'tr'],
    ['елка', 'ru-yo'],
    ['заявление на отпуск', 'ru'],
    ['有給休暇', 'ja'],
    ['申请年假', 'zh'],
    ['طلب الإجازة', 'ar'],
    ['ยื่นใบลา', 'th'],
  ]);
  exactlyFor([['"北京办公室"', ['zh']]]);
});

describe('recency', () => {
  firstFor([
    ['price list flour', 'prices-2025'],
    ['latest price list', 'prices-2025'],
    [{ query: 'price list two crowns', recency_bias: 'no_decay' }, 'prices-2019'],
  ]);
});

describe('copies', () => {
  it('are one result with a count, of those that the reader may see', async () => {
    const { results } = await search('house rules canteen badge windows');
    expect(results[0]).toMatchObject({ similar_count: 2 });
    expect(results[0]?.similar_document_ids).toHaveLength(2);
    const mine = await search('house rules canteen badge windows', owner);
    expect(mine.results[0]).toMatchObject({ similar_count: 3 });
  });

  it('are results of their own on request, and different texts always', async () => {
    const whole = await search({ query: 'house rules canteen', collapse: false });
    expect(whole.ids).toEqual(
      expect.arrayContaining(['handbook', 'handbook-copy', 'handbook-near', 'handbook-other']),
    );
    const { ids } = await search('canteen visitors book');
    expect(ids).toContain('handbook-other');
    expect((await search('INV-2024-00017 invoice')).ids.slice(0, 2)).toEqual([
      'invoice-17',
      'invoice-18',
    ]);
  });
});

describe('permissions', () => {
  it.each([
    'salary',
    '"salary of the zephyrine engineer"',
    'title:secretum',
    'zephyrine',
    'zephirine',
  ])('%s finds nothing private to others', async (query) => {
    const theirs = await search({ query, facets: true, explain: true });
    expect(theirs.ids).not.toContain('salary');
    expect(theirs.text).not.toMatch(/secretum|Secret set|90,000/);
    expect((await search(query, owner)).ids[0]).toBe('salary');
  });

  it('neither suggests nor counts what is private to others', async () => {
    for (const query of ['sal', 'secre', 'salary ban', 'title:secre', '"salary ban']) {
      const theirs = await stage.call('POST', '/search/suggest', { query }, stage.reader);
      expect(theirs.body.suggestions).toEqual([]);
      const own = await stage.call('POST', '/search/suggest', { query });
      expect(own.body.suggestions).toContainEqual({
        kind: 'title',
        text: 'Salary bands secretum',
        document_id: 'salary',
        source_type: 'wiki',
      });
    }
    const excluding = await stage.call('POST', '/search/suggest', { query: '-secr' }, stage.reader);
    expect(excluding.body.suggestions).toEqual([]);
    const mine = await stage.call('POST', '/search/suggest', { query: '-secr' });
    expect(mine.body.suggestions).toMatchObject([{ kind: 'word', text: '-secretum' }]);
    const { body } = await search({ query: 'house rules', facets: true });
    const set = { value: 'Public set', count: body.total, documents: expect.any(Number) };
    expect(body.facets.document_set).toEqual([set]);
  });

  it('does not tell that a document that all may see is in a private pair, too', async () => {
    const policy = CORPUS.filter(({ id }) => id === 'policy').map(asPushed);
    const { rows } = await sql<{ id: number }>`select id from cc_pair
      where workspace_id = ${owner.workspaceId} and name = 'Own'`.execute(
      stage.millrace.services.db,
    );
    const item = { document: policy[0], cc_pair_id: rows[0]?.id };
    expect((await stage.call('POST', '/service-api/ingestion', item)).status).toBe(200);
    await stage.millrace.settled(owner.key);
    const request = { query: 'title:security -title:draft', facets: true };
    const open = { value: 'Public set', count: 1, documents: 1 };
    expect((await search(request)).body.facets.document_set).toEqual([open]);
    const secret = { value: 'Secret set', count: 1, documents: 1 };
    expect((await search(request, owner)).body.facets.document_set).toEqual([open, secret]);
    const filtered = { ...request, search_filters: { document_set: ['Secret set'] } };
    expect((await search(filtered)).ids).toEqual([]);
    expect((await search(filtered, owner)).ids).toEqual(['policy']);
  });
});
