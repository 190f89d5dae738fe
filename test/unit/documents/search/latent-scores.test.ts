import { expect, it } from 'vitest';
import { countTermIds, documentWeights, termId } from '#src/documents/bm25.ts';
import { decodeBasis } from '#src/documents/latent-basis.ts';
import { latentScores, latentShare } from '#src/documents/search/latent-scores.ts';
import { trainBasis } from '#src/documents/train-basis.ts';

const SALT = 1;
const idOf = (word: string) => termId(word, SALT);
const chunk = (score: number, ...words: string[]) => ({
  score,
  terms: Int32Array.from(words, idOf),
});
const HARBOUR = 'quay tide anchor pilot vessel mooring lantern ferry buoy dock gull chart'.split(
  ' ',
);
const GARDEN = 'soil seed lawn hedge compost spade orchard tulip bulb fern moss trellis'.split(' ');

/** Words of a topic that stand together; there are cranes in both. */
function wordsOf(number: number): string[] {
  const topic = number % 2 === 0 ? HARBOUR : GARDEN;
  const words = [0, 1, 3, 5, 8].map((step) => topic[(number + step) % topic.length] ?? '');
  return number % 10 < 2 ? [...words, 'crane'] : words;
}

const vectors = Array.from({ length: 280 }, (_, n) => {
  const ids = [...countTermIds(wordsOf(n), SALT).keys()];
  return documentWeights(Int32Array.from(ids));
});
let end = 0;
const basis = decodeBasis(
  trainBasis({
    starts: Int32Array.from([0, ...vectors.map(({ ids }) => (end += ids.length))]),
    ids: Int32Array.from(vectors.flatMap(({ ids }) => [...ids])),
    weights: Float32Array.from(vectors.flatMap(({ weights }) => [...weights])),
  }),
);

it('a chunk of the topic without a word of the query is nearer than one of another topic', () => {
  const chunks = [chunk(0, 'seed', 'hedge'), chunk(0, 'tide', 'pilot'), chunk(0, 'quay')];
  const [garden = 0, harbour = 0] = latentScores(basis, [idOf('quay')], chunks);
  expect(harbour).toBeGreaterThan(garden + 0.1);
  expect(garden).toBeGreaterThanOrEqual(0);
});

it('a word of two meanings is read as the best chunks have it', () => {
  const [soil = 0, tide = 0] = latentScores(
    basis,
    [idOf('crane')],
    [chunk(0, 'seed', 'hedge'), chunk(0, 'tide', 'pilot'), chunk(1, 'crane', 'quay', 'tide')],
  );
  expect(tide).toBeGreaterThan(soil + 0.1);
});

it('nothing is near a query of which the basis has no term', () => {
  const chunks = [chunk(1, 'tide', 'violin')];
  expect(latentScores(basis, [idOf('violin')], chunks)).toEqual([0]);
});

it('a word that none of the chunks has does not tell what it goes together with', () => {
  const chunks = [chunk(1, 'hedge', 'crane'), chunk(1, 'tide', 'pilot')];
  expect(latentScores(basis, [idOf('quay')], chunks)).toEqual([0, 0]);
  expect(latentScores(basis, [idOf('quay'), idOf('crane')], chunks)).toEqual(
    latentScores(basis, [idOf('crane')], chunks),
  );
});

it('short queries lean on it, and vectors take their share of it', () => {
  expect(latentShare(1, 0)).toBe(latentShare(3, 0));
  expect(latentShare(6, 0)).toBeCloseTo(latentShare(3, 0) / 2);
  expect(latentShare(3, 1)).toBe(0);
});
