import { useQuery } from "@tanstack/react-query";
import { queries } from "../../api/queries.ts";
import { Notice } from "../../ui/Notice.tsx";

/** Shows which flag of another system assigns the variants. Shows nothing when Assay does. */
export function FlagNotice({ id }: { readonly id: string }) {
  const { data: experiment } = useQuery(queries.experiment(id));
  const flag = experiment?.flag_key;
  if (!flag) return null;
  return (
    <Notice tone="info">
      <p>
        Assignment is external: another system's flag <code>{flag}</code> gives users their variant, and
        exposures name it. The traffic split is checked against the weights.
      </p>
    </Notice>
  );
}
