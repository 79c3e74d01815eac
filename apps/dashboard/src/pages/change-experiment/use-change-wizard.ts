import { useMutation, useQuery, useQueryClient } from "@tanstack/react-query";
import { useState } from "react";
import { Problem } from "../../api/problem.ts";
import { putExperiment, queries, refreshExperiment } from "../../api/queries.ts";
import type { Experiment } from "../../api/types.ts";
import { announce } from "../../ui/announce.ts";
import { dropDraft } from "../../ui/use-draft.ts";
import { checkForm } from "../experiment-form/check-form.ts";
import { type ExperimentValues, valuesOf } from "../experiment-form/form-values.ts";
import { useExperimentForm } from "../experiment-form/use-experiment-form.ts";
import { type Change, changeOf, reasonFaults, rebased } from "./change-of.ts";

/** The wizard's state and actions. A change belongs to the version it was started from, `base`, until it is rebased. */
export function useChangeWizard(latest: Experiment, older: readonly Experiment[]) {
  const draftKey = `change-${latest.id}`;
  const isExposed = (useQuery(queries.experimentOverview(latest.id)).data?.exposures ?? 0) > 0;
  const versions = [latest, ...older];
  const baseOf = ({ baseVersion }: ExperimentValues) =>
    versions.find(({ version }) => version === baseVersion) ?? latest;
  const check = (values: ExperimentValues) => [
    ...checkForm(values),
    ...(isExposed ? reasonFaults(baseOf(values), values) : []),
  ];
  const { form, place, focusFault, showFaults, submit } = useExperimentForm(
    draftKey,
    () => valuesOf(latest),
    check,
  );
  const [isReviewing, review] = useState(false);
  const [unplaced, setUnplaced] = useState<readonly string[]>([]);
  const values = form.watch();
  const base = baseOf(values);
  const change = changeOf(base, values, versions);
  const put = useChange(base, draftKey);
  const backToFields = () => {
    review(false);
    focusFault();
  };
  const save = async () => {
    setUnplaced([]);
    try {
      const isSent = await submit(async () => {
        await put.mutateAsync(change);
      });
      if (!isSent) backToFields();
    } catch (error) {
      const shown = showFaults(error);
      setUnplaced(shown.unplaced);
      if (shown.isAtField) backToFields();
    }
  };
  const drop = () => {
    form.reset(valuesOf(latest));
    dropDraft(draftKey);
    put.reset();
    review(false);
  };
  // Not a submit: the input stays a draft until it is saved.
  const toReview = async () => {
    if (await form.trigger()) review(true);
    else focusFault();
  };
  const rebase = () => {
    const { isToRun } = form.getValues();
    form.reset(rebased(latest, { change, isToRun }), { keepDefaultValues: true });
    put.reset();
  };
  return {
    form,
    place,
    isExposed,
    base,
    change,
    put,
    unplaced,
    isReviewing,
    review,
    save,
    drop,
    toReview,
    rebase,
  };
}

/** Saves a change as the next version. If somebody saved one meanwhile, fetches that one instead. */
function useChange({ id, version }: Experiment, draftKey: string) {
  const cache = useQueryClient();
  return useMutation({
    mutationFn: (body: Change) => putExperiment({ id, version }, body),
    onSuccess: async (next) => {
      dropDraft(draftKey);
      announce(`Version ${next.version} is in force.`);
      await refreshExperiment(cache, id);
    },
    onError: (error) =>
      error instanceof Problem && error.kind === "version-mismatch"
        ? cache.invalidateQueries({ queryKey: ["experiment", id] })
        : undefined,
  });
}
