import type { ReactNode } from "react";
import type { ExperimentState } from "../api/types.ts";
import { STATES } from "../format/states.ts";
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

/** An experiment's state as a badge. */
export function StateBadge({ state }: { readonly state: ExperimentState }) {
  const { word, tone, icon, meaning } = STATES[state];
  return (
    <Badge tone={tone} title={meaning}>
      <span aria-hidden="true">{icon}</span> {word}
    </Badge>
  );
}
