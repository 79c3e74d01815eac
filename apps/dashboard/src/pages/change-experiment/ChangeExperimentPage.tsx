import { useQuery } from "@tanstack/react-query";
import { useParams } from "@tanstack/react-router";
import { queries } from "../../api/queries.ts";
import { LinkButton } from "../../ui/Button.tsx";
import { Loaded } from "../../ui/Loaded.tsx";
import { Empty, Page } from "../../ui/Page.tsx";
import { ChangeWizard } from "./ChangeWizard.tsx";

/** Changes an experiment: edit, review what it does to users, see what is in force. */
export default function ChangeExperimentPage() {
  const { id } = useParams({ from: "/shell/experiments/$id/change" });
  const versions = useQuery(queries.versions(id));
  return (
    <Loaded query={versions}>
      {([latest, ...older]) =>
        latest === undefined ? (
          <Empty title="This experiment has no version" />
        ) : (
          <Page
            title={`Change ${latest.name}`}
            lead={`Version ${latest.version}. Every change creates a new version. No change moves a user to another variant, except QA users.`}
            actions={
              <LinkButton to="/experiments/$id" params={{ id }}>
                Back to the experiment
              </LinkButton>
            }
          >
            <ChangeWizard key={id} latest={latest} older={older} />
          </Page>
        )
      }
    </Loaded>
  );
}
