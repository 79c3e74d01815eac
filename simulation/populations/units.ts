import type { Draw } from "../random/draw.ts";

/** Users who have several units, such as conversations. */
export interface UnitsDesign {
  readonly users: number;
  /** Units of each user; `heavy`: 1 + ⌊lognormal(0.8, 0.9)⌋. */
  readonly unitsPerUser: number | "heavy";
  /** The correlation of two units of one user. */
  readonly rho: number;
  /** Standard deviation of the variant's effect between users, in standard deviations of a unit. The mean effect is 0. */
  readonly spread?: number;
  /** Whether users instead of units are randomized. */
  readonly byUser?: boolean;
}

/** A unit, with a latent value of mean 0 and variance 1 (without a spread of the effect). */
export interface Unit {
  readonly user: number;
  readonly value: number;
}

/** The units of each arm, in order of arrival. */
export interface UnitArms {
  readonly control: readonly Unit[];
  readonly treatment: readonly Unit[];
}

/** Draws the units of an experiment. Both arms have the same distribution: each gets half of the effect, with opposite signs. */
export function drawUnits(draw: Draw, design: UnitsDesign): UnitArms {
  const { users, rho, spread = 0, byUser = false } = design;
  const units = Array.from({ length: users }, (_, user) => {
    const [level, effect, isTreated] = [
      Math.sqrt(rho) * draw.normal(),
      spread * draw.normal(),
      draw.chance(0.5),
    ];
    return Array.from({ length: sizeOf(draw, design) }, () => {
      const inTreatment = byUser ? isTreated : draw.chance(0.5);
      const noise = Math.sqrt(1 - rho) * draw.normal();
      return {
        user,
        inTreatment,
        value: level + noise + (inTreatment ? effect : -effect) / 2,
        at: draw.uniform(),
      };
    });
  }).flat();
  const inOrder = units.sort((a, b) => a.at - b.at);
  return {
    control: inOrder.filter(({ inTreatment }) => !inTreatment),
    treatment: inOrder.filter(({ inTreatment }) => inTreatment),
  };
}

function sizeOf({ normal }: Draw, { unitsPerUser }: UnitsDesign): number {
  return unitsPerUser === "heavy" ? 1 + Math.floor(Math.exp(0.8 + 0.9 * normal())) : unitsPerUser;
}
