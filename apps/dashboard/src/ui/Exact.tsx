import type { ReactNode } from "react";

interface ExactProps {
  readonly value: number | null | undefined;
  readonly write: (value: number) => string;
  /** Shown without a value. */
  readonly none?: ReactNode;
}

/** A rounded number with its exact value on hover. */
export function Exact({ value, write, none = "–" }: ExactProps) {
  return value == null ? none : <span title={String(value)}>{write(value)}</span>;
}
