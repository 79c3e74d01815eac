import { useQuery } from "@tanstack/react-query";
import { queries } from "../../api/queries.ts";
import { Notice } from "../../ui/Notice.tsx";

/** Says which flag assigns the variants. */
export function ByFlag({ flag }: { readonly flag: string }) {
  return (
    <>
      Assignment is external: another system's flag <code>{flag}</code> gives users their variant, and
      exposures name it. The traffic split is checked against the weights.
    </>
  );
}

/** Says so on every page of an experiment on such a flag; otherwise shows nothing. */
export function FlagNotice({ id }: { readonly id: string }) {
  const { data: experiment } = useQuery(queries.experiment(id));
  const flag = experiment?.flag_key;
  if (!flag) return null;
  return (
    <Notice tone="info">
      <p>
        <ByFlag flag={flag} />
      </p>
    </Notice>
  );
}
