import { Meter as AriaMeter, Label } from "react-aria-components";
import type { Tone } from "./Notice.tsx";
import "./meter.css";

interface MeterProps {
  readonly label: string;
  readonly value: number;
  readonly max: number;
  /** The value in words: "31,200 of 50,000". */
  readonly text: string;
  readonly tone?: Tone;
  /** A second mark, such as a projection, in the unit of `value`. */
  readonly mark?: number | undefined;
}

/** A meter with its numbers in words. */
export function Meter({ label, value, max, text, tone = "info", mark }: MeterProps) {
  const share = (part: number) => `${Math.min(100, (100 * part) / Math.max(max, 1))}%`;
  return (
    <AriaMeter className="meter" value={Math.min(value, max)} maxValue={max} valueLabel={text}>
      <span className="meter-head">
        <Label>{label}</Label>
        <span>{text}</span>
      </span>
      <span className="meter-track">
        <span className={`meter-fill meter-${tone}`} style={{ width: share(value) }} />
        {mark === undefined ? null : <span className="meter-mark" style={{ left: share(mark) }} />}
      </span>
    </AriaMeter>
  );
}
