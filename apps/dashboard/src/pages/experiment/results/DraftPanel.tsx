import type { Experiment } from "../../../api/types.ts";
import { LinkButton } from "../../../ui/Button.tsx";
import { Empty, Panel } from "../../../ui/Page.tsx";

/** A draft has no results; the next step is to start it. */
export function DraftPanel({ experiment: { id } }: { readonly experiment: Experiment }) {
  return (
    <Panel title="Results">
      <Empty
        title="Not started: a draft assigns nobody."
        actions={
          <>
            <LinkButton look="primary" to="/experiments/$id/change" params={{ id }}>
              Start…
            </LinkButton>
            <LinkButton to="/experiments/$id/setup" params={{ id }}>
              Check the setup
            </LinkButton>
          </>
        }
      >
        <p>Until then clients get nothing of it and nothing is collected.</p>
      </Empty>
    </Panel>
  );
}
