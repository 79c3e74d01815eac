import type { Experiment } from "../../api/types.ts";
import { Button } from "../../ui/Button.tsx";
import { Notice } from "../../ui/Notice.tsx";
import { Time } from "../../ui/Time.tsx";
import { type Change, FIELD_WORDS, fieldsBetween } from "./change-of.ts";

interface ConflictProps {
  readonly base: Experiment;
  readonly latest: Experiment;
  readonly change: Change;
  readonly onRebase: () => void;
  readonly onDiscard: () => void;
}

/** Somebody saved a version after this change was started. Shows what they changed, and how to continue. */
export function Conflict({ base, latest, change, onRebase, onDiscard }: ConflictProps) {
  const theirs = fieldsBetween(base, latest);
  const both = theirs.filter((field) => field in change);
  const words = theirs.map((field) => FIELD_WORDS[field]);
  const isStatus = base.status !== latest.status;
  return (
    <Notice
      tone="warn"
      role="alert"
      title={`Someone saved version ${latest.version} while you were editing version ${base.version}`}
      actions={
        <>
          <Button onPress={onRebase}>Apply my changes to version {latest.version}</Button>
          <Button look="quiet" onPress={onDiscard}>
            Discard my changes
          </Button>
        </>
      }
    >
      <p>
        Saved <Time at={latest.updated_at} />. It changes{" "}
        {[...words, ...(isStatus ? [`the status: ${base.status} → ${latest.status}`] : [])].join(", ") ||
          "nothing shown here"}
        .
      </p>
      <p>
        {both.length === 0
          ? "Your changes do not overlap with it."
          : `You changed ${both.map((field) => FIELD_WORDS[field]).join(", ")} too. Your version replaces theirs there.`}
      </p>
    </Notice>
  );
}
