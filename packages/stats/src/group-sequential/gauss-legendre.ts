/** The nodes in (−1, 1) and the weights of a quadrature rule. */
export interface Rule {
  readonly nodes: Float64Array;
  readonly weights: Float64Array;
}

/** Cached, because finding the nodes costs more than using them and all experiments need the same few rules. */
const rules = new Map<number, Rule>();

/** Returns the Gauss-Legendre rule with an even number of nodes, which is exact for polynomials of degree below 2 × size. */
export function gaussLegendre(size: number): Rule {
  const known = rules.get(size);
  if (known !== undefined) return known;
  const rule = createRule(size);
  rules.set(size, rule);
  return rule;
}

function createRule(size: number): Rule {
  const nodes = new Float64Array(size);
  const weights = new Float64Array(size);
  for (let i = 0; i < size / 2; i++) {
    const { x, slope } = legendreRoot(size, Math.cos((Math.PI * (i + 0.75)) / (size + 0.5)));
    nodes[i] = -x;
    nodes[size - 1 - i] = x;
    weights[i] = 2 / ((1 - x * x) * slope * slope);
    weights[size - 1 - i] = weights[i]!;
  }
  return { nodes, weights };
}

/** Finds the Legendre polynomial's root near the guess by Newton's method, and the polynomial's slope there. */
function legendreRoot(degree: number, guess: number): { x: number; slope: number } {
  let x = guess;
  for (;;) {
    let [before, value] = [1, x];
    for (let k = 2; k <= degree; k++)
      [before, value] = [value, ((2 * k - 1) * x * value - (k - 1) * before) / k];
    const slope = (degree * (x * value - before)) / (x * x - 1);
    const step = value / slope;
    x -= step;
    if (Math.abs(step) < 1e-12) return { x, slope };
  }
}
