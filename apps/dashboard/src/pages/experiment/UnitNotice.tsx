import { useQuery } from "@tanstack/react-query";
import { queries } from "../../api/queries.ts";
import { Notice } from "../../ui/Notice.tsx";

/** Shows what is counted if the unit is not the user. Otherwise shows nothing. */
export function UnitNotice({ id }: { readonly id: string }) {
  const { data: experiment } = useQuery(queries.experiment(id));
  const unit = experiment?.unit ?? "user";
  if (unit === "user") return null;
  return (
    <Notice tone="info">
      <p>
        {`This experiment gives each ${unit} of a user its own variant, so its pages and checks count ${unit}s. Intervals and p-values account for users with several ${unit}s. Where a metric is described per user, it is per ${unit} here.`}
      </p>
    </Notice>
  );
}
