import { useMutation, useQueryClient } from "@tanstack/react-query";
import { useState } from "react";
import { api, unwrap } from "../../../../api/client.ts";
import { Problem } from "../../../../api/problem.ts";
import { refreshExperiment } from "../../../../api/queries.ts";
import { announce } from "../../../../ui/announce.ts";
import { Button } from "../../../../ui/Button.tsx";
import { Dialog } from "../../../../ui/Dialog.tsx";
import { ProblemNotice } from "../../../../ui/Notice.tsx";
import { ExclusionFields } from "./ExclusionFields.tsx";
import { EMPTY, type ExclusionValues, fieldOfPointer, toRequest } from "./exclusion-form.ts";
import { PreviewPanel } from "./PreviewPanel.tsx";

interface ExclusionDialogProps {
  readonly experimentId: string;
  readonly onClose: () => void;
}

/** The form of an exclusion. It shows what would be excluded before it can be saved. */
export function ExclusionDialog({ experimentId, onClose }: ExclusionDialogProps) {
  const [values, setValues] = useState(EMPTY);
  const preview = usePreview(experimentId);
  const save = useSave(experimentId, onClose);
  const change = (part: Partial<ExclusionValues>) => {
    setValues({ ...values, ...part });
    save.reset();
    // Other events: what was seen is out of date.
    if (!("reason" in part)) preview.reset();
  };
  const problem = save.error ?? preview.error;
  const faults = problem instanceof Problem ? problem.faults : [];
  const faultOf = (field: keyof ExclusionValues) =>
    faults.find(({ pointer }) => fieldOfPointer(pointer) === field)?.detail ?? null;
  const isShown = faults.length > 0 && faults.every(({ pointer }) => fieldOfPointer(pointer) !== null);
  return (
    <Dialog title="Set events aside" isOpen onClose={onClose} place="side">
      <div className="form">
        <ExclusionFields experimentId={experimentId} values={values} onChange={change} faultOf={faultOf} />
        {problem && !isShown ? <ProblemNotice problem={problem} /> : null}
        {preview.data ? <PreviewPanel preview={preview.data} /> : null}
        <div className="dialog-actions">
          <Button onPress={onClose}>Cancel</Button>
          {preview.data ? (
            <Button look="danger" onPress={() => save.mutate(values)} isPending={save.isPending}>
              Set them aside
            </Button>
          ) : (
            <Button look="primary" onPress={() => preview.mutate(values)} isPending={preview.isPending}>
              Preview
            </Button>
          )}
        </div>
      </div>
    </Dialog>
  );
}

function usePreview(id: string) {
  return useMutation({
    mutationFn: async (values: ExclusionValues) => {
      const params = { path: { id }, query: { dry_run: "true" } } as const;
      const answer = await unwrap(
        api.POST("/v1/experiments/{id}/exclusions", { params, body: toRequest(values) }),
      );
      return "arms" in answer ? answer : null;
    },
  });
}

function useSave(id: string, onSaved: () => void) {
  const cache = useQueryClient();
  return useMutation({
    mutationFn: (values: ExclusionValues) =>
      unwrap(
        api.POST("/v1/experiments/{id}/exclusions", { params: { path: { id } }, body: toRequest(values) }),
      ),
    onSuccess: async () => {
      onSaved();
      announce("The events are set aside from the next run on.");
      await refreshExperiment(cache, id);
    },
  });
}
