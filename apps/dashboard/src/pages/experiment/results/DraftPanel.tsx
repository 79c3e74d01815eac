import type { Experiment } from "../../../api/types.ts";
import { LinkButton } from "../../../ui/Button.tsx";
import { Empty, Panel } from "../../../ui/Page.tsx";

/** Shown for a draft, which has no results. */
export function DraftPanel({ experiment: { id } }: { readonly experiment: Experiment }) {
  return (
    <Panel title="Results">
      <Empty
        title="Not started yet"
        actions={
          <>
            <LinkButton look="primary" to="/experiments/$id/change" params={{ id }}>
              Start…
            </LinkButton>
            <LinkButton to="/experiments/$id/setup" params={{ id }}>
              View the setup
            </LinkButton>
          </>
        }
      >
        <p>A draft assigns no users and collects no data.</p>
      </Empty>
    </Panel>
  );
}
