import type { Stratum } from "@assay/stats";
import type { Draw } from "../random/draw.ts";

/** Users per arm, for each allocation period. */
export interface Design {
  readonly name: string;
  readonly periods: readonly { readonly control: number; readonly treatment: number }[];
}

/** The arm and period of a simulated user. */
export interface Place {
  /** 0 for control, 1 for treatment. */
  readonly arm: 0 | 1;
  /** From 0. */
  readonly period: number;
}

/** Draws one user's data. */
export type DrawUser<U> = (draw: Draw, place: Place) => U;

/** Both arms with the same number of users. */
export function balanced(users: number): Design {
  return { name: `${users} / ${users}`, periods: [{ control: users, treatment: users }] };
}

/** One period with arms of different size. */
export function unbalanced(control: number, treatment: number): Design {
  return { name: `${control} / ${treatment}`, periods: [{ control, treatment }] };
}

/** A ramp-up: a tenth of the users get the treatment at first, then half of them. */
export function ramp(usersPerPeriod: number): Design {
  const tenth = usersPerPeriod / 10;
  const half = usersPerPeriod / 2;
  return {
    name: `${usersPerPeriod - tenth} / ${tenth}, then ${half} / ${half}`,
    periods: [
      { control: usersPerPeriod - tenth, treatment: tenth },
      { control: half, treatment: half },
    ],
  };
}

/** Draws all users of a design. */
export function drawStrata<U>(draw: Draw, { periods }: Design, user: DrawUser<U>): Stratum<U[]>[] {
  const users = (count: number, place: Place) => Array.from({ length: count }, () => user(draw, place));
  return periods.map(({ control, treatment }, period) => ({
    control: users(control, { arm: 0, period }),
    treatment: users(treatment, { arm: 1, period }),
  }));
}

/** Converts the users of every arm and period to the input of a test. */
export function mapStrata<A, B>(strata: readonly Stratum<A>[], toData: (arm: A) => B): Stratum<B>[] {
  return strata.map(({ control, treatment }) => ({ control: toData(control), treatment: toData(treatment) }));
}
