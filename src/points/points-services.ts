import type { PointsAwarder } from './award-in-background.ts';

/** The part of points that other features use. */
export interface PointsServices {
  /** Awards points for user actions, after the user has the response. */
  readonly pointsAwarder: PointsAwarder;
}
