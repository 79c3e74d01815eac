import "./charts.css";

export interface IntervalScale {
  /** What the left and right edge mean, in the unit of the values. */
  readonly min: number;
  readonly max: number;
}

interface IntervalBarProps {
  readonly scale: IntervalScale;
  readonly effect: number;
  /** Null: open to that side. */
  readonly low: number | null;
  readonly high: number | null;
  /** Always-valid bounds, drawn as dashed wings. */
  readonly seqLow?: number | null;
  readonly seqHigh?: number | null;
  readonly tone: "good" | "bad" | "quiet";
  /** The largest acceptable loss: from zero to here is shaded. */
  readonly tolerance?: number | null;
  /** The same in words, for screen readers. */
  readonly label: string;
}

const WIDTH = 200;
const HEIGHT = 24;

/** An effect with its interval on a shared axis, with zero marked: one row of a forest plot. */
export function IntervalBar({
  scale,
  effect,
  low,
  high,
  seqLow,
  seqHigh,
  tone,
  tolerance,
  label,
}: IntervalBarProps) {
  const x = (value: number | null | undefined, open: number) => {
    const inside = Math.min(Math.max(value ?? open, scale.min), scale.max);
    return ((inside - scale.min) / (scale.max - scale.min || 1)) * WIDTH;
  };
  const middle = HEIGHT / 2;
  const zero = x(0, 0);
  const shade = tolerance == null ? null : x(tolerance, 0);
  return (
    <svg
      className={`interval-bar interval-${tone}`}
      viewBox={`0 0 ${WIDTH} ${HEIGHT}`}
      preserveAspectRatio="none"
      role="img"
      aria-label={label}
    >
      {shade === null ? null : (
        <rect
          className="interval-tolerance"
          x={Math.min(zero, shade)}
          width={Math.abs(shade - zero)}
          y={0}
          height={HEIGHT}
        />
      )}
      <line className="interval-zero" x1={zero} x2={zero} y1={0} y2={HEIGHT} />
      {seqLow === undefined || seqHigh === undefined ? null : (
        <line
          className="interval-wings"
          x1={x(seqLow, scale.min)}
          x2={x(seqHigh, scale.max)}
          y1={middle}
          y2={middle}
        />
      )}
      <rect
        className="interval-range"
        x={x(low, scale.min)}
        width={Math.max(1, x(high, scale.max) - x(low, scale.min))}
        y={middle - 5}
        height={10}
        rx={2}
      />
      {isCut(low, scale.min, -1) ? <path className="interval-cut" d={`M0 ${middle}l7 -7v14Z`} /> : null}
      {isCut(high, scale.max, 1) ? (
        <path className="interval-cut" d={`M${WIDTH} ${middle}l-7 -7v14Z`} />
      ) : null}
      <line className="interval-effect" x1={x(effect, 0)} x2={x(effect, 0)} y1={middle - 8} y2={middle + 8} />
    </svg>
  );
}

/** Whether an interval extends beyond the axis; an arrow shows it. */
function isCut(bound: number | null, edge: number, side: 1 | -1): boolean {
  return bound === null || (bound - edge) * side > 0;
}
