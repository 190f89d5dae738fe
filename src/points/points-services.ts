import type { PointsAwarder } from './award-in-background.ts';

/** What other features take of points. */
export interface PointsServices {
  /** Awards points for what users do, after they have their answer. */
  readonly pointsAwarder: PointsAwarder;
}
