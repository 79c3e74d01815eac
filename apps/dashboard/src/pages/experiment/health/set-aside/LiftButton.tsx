import { useMutation, useQueryClient } from "@tanstack/react-query";
import { useState } from "react";
import { api, unwrap } from "../../../../api/client.ts";
import { refreshExperiment } from "../../../../api/queries.ts";
import { announce } from "../../../../ui/announce.ts";
import { Button } from "../../../../ui/Button.tsx";
import { ConfirmDialog } from "../../../../ui/Dialog.tsx";
import { TextField } from "../../../../ui/Field.tsx";

interface LiftButtonProps {
  readonly experimentId: string;
  readonly number: number;
}

/** Lifts an exclusion, after a reason is given. */
export function LiftButton({ experimentId, number }: LiftButtonProps) {
  const cache = useQueryClient();
  const [isOpen, setOpen] = useState(false);
  const [reason, setReason] = useState("");
  const [isMissing, setMissing] = useState(false);
  const lift = useMutation({
    mutationFn: () =>
      unwrap(
        api.POST("/v1/experiments/{id}/exclusions/{number}/lift", {
          params: { path: { id: experimentId, number: String(number) } },
          body: { reason: reason.trim() },
        }),
      ),
    onSuccess: async () => {
      setOpen(false);
      announce(`Entry ${number} is lifted.`);
      await refreshExperiment(cache, experimentId);
    },
  });
  const confirm = () => {
    const isEmpty = reason.trim() === "";
    setMissing(isEmpty);
    if (!isEmpty) lift.mutate();
  };
  return (
    <>
      <Button onPress={() => setOpen(true)} aria-label={`Lift entry ${number}`}>
        Lift…
      </Button>
      <ConfirmDialog
        title={`Lift entry ${number}?`}
        isOpen={isOpen}
        onClose={() => setOpen(false)}
        verb="Lift it"
        isPending={lift.isPending}
        problem={lift.error}
        onConfirm={confirm}
      >
        <p>Analyses see its events again from the next run on. The entry stays in the list.</p>
        <TextField
          label="Reason"
          value={reason}
          onChange={setReason}
          maxLength={1000}
          error={isMissing ? "Enter a reason." : null}
        />
      </ConfirmDialog>
    </>
  );
}
