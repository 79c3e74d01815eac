import { useMutation, useQueryClient } from "@tanstack/react-query";
import { useNavigate } from "@tanstack/react-router";
import { useState } from "react";
import { FormProvider } from "react-hook-form";
import { api, unwrap } from "../../api/client.ts";
import { announce } from "../../ui/announce.ts";
import { Button } from "../../ui/Button.tsx";
import { Notice } from "../../ui/Notice.tsx";
import { Page } from "../../ui/Page.tsx";
import { dropDraft } from "../../ui/use-draft.ts";
import { AudienceBlock } from "../experiment-form/AudienceBlock.tsx";
import { toConfig } from "../experiment-form/form-to-config.ts";
import { emptyValues } from "../experiment-form/form-values.ts";
import { MetricsBlock } from "../experiment-form/MetricsBlock.tsx";
import { PlanBlock } from "../experiment-form/PlanBlock.tsx";
import { QuestionBlock } from "../experiment-form/QuestionBlock.tsx";
import { useExperimentForm } from "../experiment-form/use-experiment-form.ts";
import { VariantsBlock } from "../experiment-form/VariantsBlock.tsx";
import { Summary } from "./Summary.tsx";
import "../experiment-form/experiment-form.css";

const DRAFT = "new-experiment";

/** Creates an experiment: five blocks with a summary beside them. */
export default function NewExperimentPage() {
  const { form, place, isRestored, showFaults, submit } = useExperimentForm(DRAFT, () =>
    emptyValues(makeSalt()),
  );
  const [unplaced, setUnplaced] = useState<readonly string[]>([]);
  const create = useCreate();
  const start = (status: "running" | "draft") =>
    submit(async (values) => {
      setUnplaced([]);
      await create.mutateAsync(toConfig(values, status));
    }).catch((error: unknown) => setUnplaced(showFaults(error).unplaced));
  const startOver = () => {
    dropDraft(DRAFT);
    form.reset(emptyValues(makeSalt()));
    create.reset();
  };
  return (
    <Page title="New experiment" lead="Compare two prompts on real users.">
      {isRestored ? <Restored onStartOver={startOver} /> : null}
      <FormProvider {...form}>
        <div className="form-with-summary">
          <div ref={place}>
            <QuestionBlock title="1 · Question" />
            <VariantsBlock title="2 · Variants" />
            <AudienceBlock title="3 · Traffic" />
            <MetricsBlock title="4 · Metrics" />
            <PlanBlock title="5 · Decision plan" />
          </div>
          <Summary onSubmit={start} isPending={create.isPending} problem={create.error} unplaced={unplaced} />
        </div>
      </FormProvider>
    </Page>
  );
}

function Restored({ onStartOver }: { readonly onStartOver: () => void }) {
  const [isShown, show] = useState(true);
  if (!isShown) return null;
  const startOver = () => {
    onStartOver();
    show(false);
  };
  return (
    <Notice tone="info" actions={<Button onPress={startOver}>Start over</Button>}>
      <p>Your draft was restored. It stays in this tab until you save the experiment.</p>
    </Notice>
  );
}

function useCreate() {
  const cache = useQueryClient();
  const navigate = useNavigate();
  return useMutation({
    mutationFn: (body: ReturnType<typeof toConfig>) => unwrap(api.POST("/v1/experiments", { body })),
    onSuccess: async ({ id, name, status }) => {
      dropDraft(DRAFT);
      await cache.invalidateQueries({ queryKey: ["overview"] });
      announce(status === "draft" ? `Saved ${name} as a draft.` : `${name} is running.`);
      await navigate({ to: "/experiments/$id", params: { id } });
    },
  });
}

const BYTES = 8;

/** Returns a random salt; experiments with different salts split users independently. */
function makeSalt(): string {
  return Array.from(crypto.getRandomValues(new Uint8Array(BYTES)), (byte) =>
    byte.toString(16).padStart(2, "0"),
  ).join("");
}
