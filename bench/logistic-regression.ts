/** A sample with the signs that are true of it. */
export interface Sample {
  signs: ReadonlySet<string>;
  isTrue: boolean;
  weight: number;
}

export interface Logistic {
  bias: number;
  weights: ReadonlyMap<string, number>;
}

/** Of the squared weights, in samples. */
const REGULARIZATION = 5;
const STEPS = 600;
const SMALLEST_STEP = 1e-5;

/**
 * A logistic regression over signs, with L2 regularization, by gradient descent with Nesterov's momentum (Nesterov 1983)
 * and its restart where the gradient points back (O'Donoghue and Candès 2015).
 */
export function fitLogistic(samples: readonly Sample[], signs: readonly string[]): Logistic {
  const indexes = new Map(signs.map((sign, at) => [sign, at + 1]));
  const rows = samples.map((sample) => ({
    at: [0, ...[...sample.signs].flatMap((sign) => indexes.get(sign) ?? [])],
    target: sample.isTrue ? 1 : 0,
    weight: sample.weight,
  }));
  const size = signs.length + 1;
  // The largest curvature that the loss can have: a quarter of the largest row, squared.
  const curvature =
    REGULARIZATION + rows.reduce((sum, { at, weight }) => sum + (weight * at.length) / 4, 0);
  let weights = new Float64Array(size);
  let ahead = new Float64Array(size);
  let momentum = 1;
  for (let step = 0; step < STEPS; step += 1) {
    const gradient = gradientAt(ahead, rows);
    const next = ahead.map((weight, at) => weight - (gradient[at] ?? 0) / curvature);
    const change = next.map((weight, at) => weight - (weights[at] ?? 0));
    const isBack = change.reduce((sum, one, at) => sum + one * (gradient[at] ?? 0), 0) > 0;
    const following = (1 + Math.sqrt(1 + 4 * momentum * momentum)) / 2;
    const share = isBack ? 0 : (momentum - 1) / following;
    ahead = next.map((weight, at) => weight + share * (change[at] ?? 0));
    weights = next;
    momentum = isBack ? 1 : following;
    if (change.every((one) => Math.abs(one) < SMALLEST_STEP) && step > 10) break;
  }
  return {
    bias: weights[0] ?? 0,
    weights: new Map(signs.map((sign, at) => [sign, weights[at + 1] ?? 0])),
  };
}

/** The log odds of a sample with these signs. */
export function oddsOf({ bias, weights }: Logistic, signs: Iterable<string>): number {
  let sum = bias;
  for (const sign of signs) sum += weights.get(sign) ?? 0;
  return sum;
}

interface Row {
  /** The indexes of its signs, and that of the bias. */
  at: readonly number[];
  target: number;
  weight: number;
}

/** Of the regularized loss; the bias is not regularized. */
function gradientAt(weights: Float64Array, rows: readonly Row[]): Float64Array {
  const gradient = weights.map((weight, at) => (at === 0 ? 0 : REGULARIZATION * weight));
  for (const { at, target, weight } of rows) {
    let odds = 0;
    for (const index of at) odds += weights[index] ?? 0;
    const error = weight * (1 / (1 + Math.exp(-odds)) - target);
    for (const index of at) gradient[index] = (gradient[index] ?? 0) + error;
  }
  return gradient;
}
