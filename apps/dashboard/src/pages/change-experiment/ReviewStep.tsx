import { useEffect, useRef } from "react";
import type { Experiment } from "../../api/types.ts";
import { Button } from "../../ui/Button.tsx";
import { ProblemNotice } from "../../ui/Notice.tsx";
import { Panel } from "../../ui/Page.tsx";
import { Table } from "../../ui/Table.tsx";
import { AllocationTable } from "./AllocationTable.tsx";
import type { Change } from "./change-of.ts";
import { type Consequence, consequences } from "./consequences.ts";

interface ReviewStepProps {
  readonly base: Experiment;
  readonly change: Change;
  /** Users are exposed. */
  readonly isExposed: boolean;
  readonly onBack: () => void;
  readonly onSave: () => void;
  readonly isPending: boolean;
  readonly problem: Error | null;
  readonly unplaced: readonly string[];
}

const COLUMNS = [
  { key: "change", title: "What changes", cell: ({ change }: Consequence) => change },
  { key: "present", title: "Users with a variant", cell: ({ present }: Consequence) => present },
  { key: "later", title: "New users", cell: ({ later }: Consequence) => later },
];

/** The second step: what the change does to users. */
export function ReviewStep({
  base,
  change,
  isExposed,
  onBack,
  onSave,
  isPending,
  problem,
  unplaced,
}: ReviewStepProps) {
  const head = useRef<HTMLParagraphElement>(null);
  useEffect(() => head.current?.focus(), []);
  return (
    <>
      <Panel title="Effect on users">
        <p ref={head} tabIndex={-1} className="muted">
          Nothing is saved yet.
        </p>
        <Table
          caption="Each change and its effect"
          isCaptionHidden
          columns={COLUMNS}
          rows={consequences(base, change, isExposed)}
          rowKey={({ change: what }) => what}
          narrow="stacks"
        />
      </Panel>
      <Panel title="Shares by weight and shares in force now">
        <AllocationTable experiment={withAsked(base, change)} />
      </Panel>
      {problem ? <ProblemNotice problem={problem} onRetry={onSave} /> : null}
      {unplaced.map((fault) => (
        <p key={fault} className="field-error">
          {fault}
        </p>
      ))}
      <div className="row">
        <Button look="primary" isPending={isPending} onPress={onSave}>
          Save version {base.version + 1}
        </Button>
        <Button onPress={onBack}>Back to editing</Button>
      </div>
    </>
  );
}

/** The current split with the new weights. */
function withAsked(base: Experiment, { allocation, coverage }: Change): Experiment {
  return {
    ...base,
    ...(allocation === undefined ? {} : { allocation }),
    ...(coverage === undefined ? {} : { coverage }),
  };
}
