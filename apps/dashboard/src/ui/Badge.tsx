import type { ReactNode } from "react";
import type { Tone } from "./Notice.tsx";
import "./badge.css";

/** A word with a tone, never color alone. `title` is shown on hover. */
export function Badge({
  tone,
  children,
  title,
}: {
  readonly tone: Tone;
  readonly children: ReactNode;
  readonly title?: string;
}) {
  return (
    <span className={`badge badge-${tone}`} title={title}>
      {children}
    </span>
  );
}
