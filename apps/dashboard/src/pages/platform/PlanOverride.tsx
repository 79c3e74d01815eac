import { useMutation, useQueryClient } from "@tanstack/react-query";
import { useState } from "react";
import { api, unwrap } from "../../api/client.ts";
import type { Wire } from "../../api/types.ts";
import { announce } from "../../ui/announce.ts";
import { Button } from "../../ui/Button.tsx";
import { ConfirmDialog } from "../../ui/Dialog.tsx";
import { SelectField } from "../../ui/Field.tsx";
import { Panel } from "../../ui/Page.tsx";

type Org = Wire<"AdminOrg">;
type Choice = Org["plan"] | "none";

const CHOICES: readonly Choice[] = ["none", "free", "pro", "business", "enterprise"];

/** Pins a plan over the subscription, or unpins it. */
export function PlanOverride({ org }: { readonly org: Org }) {
  const cache = useQueryClient();
  const [choice, setChoice] = useState<Choice>(org.plan_override ?? "none");
  const [isAsking, setAsking] = useState(false);
  const put = useMutation({
    mutationFn: () =>
      unwrap(
        api.PUT("/v1/admin/orgs/{id}/plan-override", {
          params: { path: { id: org.org_id } },
          body: { plan: choice === "none" ? null : choice },
        }),
      ),
    onSuccess: async ({ plan }) => {
      setAsking(false);
      announce(`The current plan is ${plan}.`);
      await cache.invalidateQueries();
    },
  });
  const ask = () => {
    put.reset();
    setAsking(true);
  };
  return (
    <Panel title="Pin a plan">
      <div className="form">
        <SelectField
          label="Plan"
          value={choice}
          onChange={setChoice}
          options={CHOICES.map((value) => ({
            value,
            label: value === "none" ? "not pinned" : value,
            ...(value === "none" ? { detail: `Use the subscription: ${org.subscription_plan}` } : {}),
          }))}
          hint="A pinned plan overrides the subscription and applies immediately."
        />
        <div className="row">
          <Button onPress={ask} isDisabled={choice === (org.plan_override ?? "none")}>
            {choice === "none" ? "Unpin the plan…" : `Pin ${choice}…`}
          </Button>
        </div>
      </div>
      <ConfirmDialog
        title={choice === "none" ? `Unpin the plan of ${org.name}?` : `Pin ${choice} for ${org.name}?`}
        isOpen={isAsking}
        onClose={() => setAsking(false)}
        verb={choice === "none" ? "Unpin the plan" : `Pin ${choice}`}
        isPending={put.isPending}
        problem={put.error}
        onConfirm={() => put.mutate()}
      >
        <p>
          The plan changes from {org.plan} to {choice === "none" ? org.subscription_plan : choice}{" "}
          immediately, with its allowance, retention and analysis limits. No experiments or results are
          deleted, but raw events beyond a shorter retention are deleted soon. The organization's audit log
          records it.
        </p>
      </ConfirmDialog>
    </Panel>
  );
}
