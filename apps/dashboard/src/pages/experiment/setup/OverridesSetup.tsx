import { useQuery } from "@tanstack/react-query";
import type { ReactNode } from "react";
import { queries } from "../../../api/queries.ts";
import type { Experiment } from "../../../api/types.ts";
import { Facts } from "../../../ui/Facts.tsx";
import { Panel } from "../../../ui/Page.tsx";

/** Who has a forced variant: the QA users, and what is known about overrides in clients. */
export function OverridesSetup({
  experiment: { id, name, variants = [], qa_users = {} },
}: {
  readonly experiment: Experiment;
}) {
  const checks = useQuery(queries.health(id)).data?.checks ?? [];
  const lists = variants.flatMap(({ key }): (readonly [string, ReactNode])[] => {
    const userIds = qa_users[key] ?? [];
    return userIds.length === 0 ? [] : [[`QA users of ${key}`, <UserIds key={key} userIds={userIds} />]];
  });
  const details = ["qa-users", "test-events"].flatMap(
    (found) => checks.find(({ code }) => code === found)?.detail ?? [],
  );
  const example = variants.at(-1)?.key ?? "variant";
  return (
    <Panel title="Overrides">
      {lists.length === 0 ? (
        <p className="muted">
          No QA users. To let people test a variant, list their ids under Change…: they always get it, and no
          result counts them.
        </p>
      ) : (
        <Facts facts={lists} />
      )}
      {details.length === 0 ? null : <p className="setup-note">{details.join(" ")}</p>}
      <p className="muted setup-note">
        A client forces a variant for everybody who uses it with{" "}
        <code>{`overrides: { "${name}": "${example}" }`}</code>, and a web page with{" "}
        <code>{`?assay=${name}:${example}`}</code> if the client has <code>urlOverrides</code>. Assay learns
        of an override only from these clients' events, which are marked. Their users count as test users
        here.
      </p>
    </Panel>
  );
}

function UserIds({ userIds }: { readonly userIds: readonly string[] }) {
  return (
    <ul className="setup-users">
      {userIds.map((userId) => (
        <li key={userId}>
          <code>{userId}</code>
        </li>
      ))}
    </ul>
  );
}
