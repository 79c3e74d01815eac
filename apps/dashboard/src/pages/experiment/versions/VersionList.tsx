import { useState } from "react";
import { counted } from "../../../format/numbers.ts";
import { Badge } from "../../../ui/Badge.tsx";
import { Button } from "../../../ui/Button.tsx";
import { Disclosure } from "../../../ui/Disclosure.tsx";
import { Time } from "../../../ui/Time.tsx";
import { FieldChanges } from "../../audit/FieldChanges.tsx";
import { assignmentsInWords, newSeriesInWords, type Version, versionChanges } from "./version-changes.ts";

interface VersionListProps {
  /** Newest first. */
  readonly versions: readonly Version[];
  /** Names by user id; undefined while loading. */
  readonly names: ReadonlyMap<string, string> | undefined;
  /** Users so far; null: unknown. */
  readonly users: number | null;
}

const AT_FIRST = 20;

/** The versions, each with its changes from the previous one. */
export function VersionList({ versions, names, users }: VersionListProps) {
  const [shown, setShown] = useState(AT_FIRST);
  const older = versions.length - shown;
  return (
    <>
      <ol className="version-list">
        {versions.slice(0, shown).map((version, index) => (
          <li key={version.version}>
            <VersionEntry
              version={version}
              before={versions[index + 1] ?? null}
              isNewest={index === 0}
              author={version.created_by === null ? "Assay itself" : (names?.get(version.created_by) ?? null)}
              users={users}
            />
          </li>
        ))}
      </ol>
      {older > 0 ? (
        <Button onPress={() => setShown(versions.length)}>Show {counted(older, "older version")}</Button>
      ) : null}
    </>
  );
}

interface VersionEntryProps {
  readonly version: Version;
  /** The previous version; null: this is the first. */
  readonly before: Version | null;
  readonly isNewest: boolean;
  /** Null: the user is no longer a member. */
  readonly author: string | null;
  readonly users: number | null;
}

function VersionEntry({ version, before, isNewest, author, users }: VersionEntryProps) {
  const changes = before === null ? [] : versionChanges(before, version);
  return (
    <article>
      <header className="row">
        <h3>Version {version.version}</h3>
        {isNewest ? <Badge tone="info">In force</Badge> : null}
        <span className="muted">
          <Time at={version.updated_at} /> by {author ?? "a former member"}
        </span>
      </header>
      {before === null ? (
        <p>The experiment was created.</p>
      ) : (
        <>
          <p>
            {changes.length === 0
              ? "No changes from the previous version."
              : `Changed: ${changes.map(({ field }) => field).join(", ")}.`}
            {users === null ? null : <span className="muted"> {assignmentsInWords(version, users)}</span>}
          </p>
          {newSeriesInWords(before, version).map((sentence) => (
            <p key={sentence}>{sentence}</p>
          ))}
          {changes.length === 0 ? null : (
            <Disclosure title={`Changes in version ${version.version}`}>
              <FieldChanges changes={changes} />
            </Disclosure>
          )}
        </>
      )}
    </article>
  );
}
