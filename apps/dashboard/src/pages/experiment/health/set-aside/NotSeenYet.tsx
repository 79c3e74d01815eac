import { useQuery } from "@tanstack/react-query";
import { queries } from "../../../../api/queries.ts";
import type { Results } from "../../../../api/types.ts";
import { LinkButton } from "../../../../ui/Button.tsx";
import { Notice } from "../../../../ui/Notice.tsx";

interface NotSeenYetProps {
  readonly experimentId: string;
  readonly run: Pick<Results, "exclusions"> | null;
  /** On other pages than Data health, which lists the entries. */
  readonly isElsewhere?: boolean;
}

/** Warns that a run is older than the newest exclusion, so that nobody decides on numbers known to be wrong. */
export function NotSeenYet({ experimentId, run, isElsewhere = false }: NotSeenYetProps) {
  const last = useQuery(queries.exclusions(experimentId)).data?.items[0]?.number ?? 0;
  if (run === null || run.exclusions >= last) return null;
  const entries = (
    <LinkButton to="/experiments/$id/health" params={{ id: experimentId }}>
      View what is set aside
    </LinkButton>
  );
  return (
    <Notice
      tone="info"
      title="The results shown do not include the latest change to what is set aside"
      {...(isElsewhere ? { actions: entries } : {})}
    >
      <p>
        The next run applies it. Analyze now for an early look, and run past nights again, oldest first, to
        correct them.
      </p>
    </Notice>
  );
}
