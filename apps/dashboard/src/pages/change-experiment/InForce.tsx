import { useQuery } from "@tanstack/react-query";
import { useEffect, useRef } from "react";
import { queries } from "../../api/queries.ts";
import type { Experiment } from "../../api/types.ts";
import { matchesWeights } from "../../format/allocation.ts";
import { usersOf } from "../../format/states.ts";
import { countedUnits, UNIT_TITLES, type Unit } from "../../format/unit-words.ts";
import { LinkButton } from "../../ui/Button.tsx";
import { Panel } from "../../ui/Page.tsx";
import { AllocationTable } from "./AllocationTable.tsx";
import type { Change } from "./change-of.ts";

interface InForceProps {
  readonly before: Experiment;
  readonly after: Experiment;
  readonly change: Change;
}

/** The last step: what is in force. */
export function InForce({ before, after, change }: InForceProps) {
  const overview = useQuery(queries.experimentOverview(after.id));
  const head = useRef<HTMLParagraphElement>(null);
  useEffect(() => head.current?.focus(), []);
  const users = overview.data === undefined ? null : usersOf(overview.data);
  return (
    <Panel title={`Version ${after.version} is in force`}>
      <p ref={head} tabIndex={-1}>
        It reaches your application with the next config poll.
      </p>
      <p>
        <strong>
          {before.status === "draft" ? "No users had a variant yet." : keptWords(users, after.unit)}
        </strong>
      </p>
      {change.allocation !== undefined || change.coverage !== undefined || change.variants !== undefined ? (
        <>
          <AllocationTable experiment={after} />
          <p>
            {matchesWeights(after)
              ? "The split in force matches your weights."
              : "The split in force differs from your weights. Users keep their variant, so new weights apply only to traffic that you add later."}
          </p>
        </>
      ) : null}
      <LinkButton look="primary" to="/experiments/$id" params={{ id: after.id }}>
        Back to the experiment
      </LinkButton>
    </Panel>
  );
}

function keptWords(units: number | null, unit: Unit = "user"): string {
  return units === null
    ? `Assignments unchanged: all ${UNIT_TITLES[unit].toLowerCase()} keep their variant.`
    : `Assignments unchanged: ${countedUnits(units, unit)} kept their variant.`;
}
