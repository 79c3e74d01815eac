import { useQueryClient } from "@tanstack/react-query";
import { useState } from "react";
import { api, unwrap } from "../../api/client.ts";
import type { Wire } from "../../api/types.ts";
import { announce } from "../../ui/announce.ts";
import { ConfirmButton } from "../../ui/ConfirmButton.tsx";
import { SelectField } from "../../ui/Field.tsx";
import { Panel } from "../../ui/Page.tsx";

type Org = Wire<"AdminOrg">;
type Choice = Org["plan"] | "none";

const CHOICES: readonly Choice[] = ["none", "free", "pro", "business", "enterprise"];

/** Pins a plan over the subscription, or unpins it. */
export function PlanOverride({ org }: { readonly org: Org }) {
  const cache = useQueryClient();
  const [choice, setChoice] = useState<Choice>(org.plan_override ?? "none");
  const isUnpinned = choice === "none";
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
          <ConfirmButton
            label={isUnpinned ? "Unpin the plan…" : `Pin ${choice}…`}
            isDisabled={choice === (org.plan_override ?? "none")}
            title={isUnpinned ? `Unpin the plan of ${org.name}?` : `Pin ${choice} for ${org.name}?`}
            verb={isUnpinned ? "Unpin the plan" : `Pin ${choice}`}
            run={() =>
              unwrap(
                api.PUT("/v1/admin/orgs/{id}/plan-override", {
                  params: { path: { id: org.org_id } },
                  body: { plan: isUnpinned ? null : choice },
                }),
              )
            }
            onDone={async ({ plan }) => {
              announce(`The current plan is ${plan}.`);
              await cache.invalidateQueries();
            }}
          >
            <p>
              The plan changes from {org.plan} to {isUnpinned ? org.subscription_plan : choice} immediately,
              with its allowance, retention and analysis limits. No experiments or results are deleted, but
              raw events beyond a shorter retention are deleted soon. The organization's audit log records it.
            </p>
          </ConfirmButton>
        </div>
      </div>
    </Panel>
  );
}
