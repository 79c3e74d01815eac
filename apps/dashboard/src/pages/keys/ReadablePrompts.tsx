import { queryOptions, useQuery } from "@tanstack/react-query";
import { Link } from "@tanstack/react-router";
import { api, unwrap } from "../../api/client.ts";
import type { Wire } from "../../api/types.ts";
import { browserKey, showsPrompts } from "../../format/public-prompts.ts";
import { Notice, ProblemNotice } from "../../ui/Notice.tsx";

/** Warns when web pages use the publishable key and it can read prompts of running experiments. Otherwise shows nothing. */
export function ReadablePrompts({ keys }: { readonly keys: readonly Wire<"KeySummary">[] }) {
  const isUsed = browserKey(keys) !== null;
  const query = useQuery({ ...experimentsQuery(), enabled: isUsed });
  if (query.error) return <ProblemNotice problem={query.error} onRetry={() => query.refetch()} />;
  const shown = (query.data ?? []).filter(showsPrompts);
  if (!isUsed || shown.length === 0) return null;
  return (
    <Notice tone="warn" role="status" title="Visitors of your pages can read prompts">
      <p>
        Web pages use this key, so anyone who opens them can read the prompts and variables of{" "}
        {shown.map(({ id, name }, index) => (
          <span key={id}>
            {index === 0 ? "" : ", "}
            <Link to="/experiments/$id/setup" params={{ id }}>
              {name}
            </Link>
          </span>
        ))}
        . If they are confidential, change these experiments to send them only to servers.
      </p>
    </Notice>
  );
}

function experimentsQuery() {
  return queryOptions({
    queryKey: ["experiments", "listed"],
    queryFn: () => unwrap(api.GET("/v1/experiments")),
  });
}
