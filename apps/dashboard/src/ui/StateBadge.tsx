import type { ExperimentState } from "../api/types.ts";
import { STATES } from "../format/states.ts";
import { Badge } from "./Badge.tsx";

/** An experiment's state as a badge. */
export function StateBadge({ state }: { readonly state: ExperimentState }) {
  const { word, tone, icon, meaning } = STATES[state];
  return (
    <Badge tone={tone} title={meaning}>
      <span aria-hidden="true">{icon}</span> {word}
    </Badge>
  );
}
