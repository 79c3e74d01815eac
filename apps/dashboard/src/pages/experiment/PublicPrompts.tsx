import { useQuery } from "@tanstack/react-query";
import { queries } from "../../api/queries.ts";
import { browserKey, showsPrompts } from "../../format/public-prompts.ts";
import { LinkButton } from "../../ui/Button.tsx";
import { Notice } from "../../ui/Notice.tsx";

/** Warns when visitors of web pages can read this experiment's prompts or variables; otherwise shows nothing. */
export function PublicPrompts({ id }: { readonly id: string }) {
  const { data: experiment } = useQuery(queries.experiment(id));
  const { data: keys } = useQuery(queries.keys());
  if (experiment === undefined || !showsPrompts(experiment) || browserKey(keys ?? []) === null) return null;
  return (
    <Notice
      tone="warn"
      title="Visitors of your pages can read these prompts"
      actions={
        <LinkButton to="/experiments/$id/change" params={{ id }}>
          Change…
        </LinkButton>
      }
    >
      <p>
        Web pages use the publishable key, which reads the prompts and variables of this experiment. If they
        are confidential, send them only to servers.
      </p>
    </Notice>
  );
}
