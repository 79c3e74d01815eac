/** Adds up users' values y and d one by one: means from plain sums, centred sums by Welford's update (1962). */
export class Moments {
  users = 0;
  #sumY = 0;
  #sumD = 0;
  #meanY = 0;
  #meanD = 0;
  #m2Y = 0;
  #m2D = 0;
  #cYD = 0;

  /** Adds a user. */
  add(y: number, d: number): void {
    this.users += 1;
    this.#sumY += y;
    this.#sumD += d;
    const [fromY, fromD] = [y - this.#meanY, d - this.#meanD];
    this.#meanY += fromY / this.users;
    this.#meanD += fromD / this.users;
    this.#m2Y += fromY * (y - this.#meanY);
    this.#m2D += fromD * (d - this.#meanD);
    this.#cYD += fromY * (d - this.#meanD);
  }

  /** Returns the means and the centred sums; one that overflows a double is NaN. */
  sums() {
    return {
      meanY: orNaN(this.#sumY / this.users),
      m2Y: orNaN(this.#m2Y),
      meanD: orNaN(this.#sumD / this.users),
      m2D: orNaN(this.#m2D),
      cYD: orNaN(this.#cYD),
    };
  }
}

function orNaN(value: number): number {
  return Number.isFinite(value) ? value : Number.NaN;
}
