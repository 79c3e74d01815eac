import { type HealthCheck, variantsOfQaUsers } from "@assay/domain";
import { earliest, type HealthFacts } from "./facts.ts";

/** Counts the QA users who have an event, and are therefore left out. */
export function qaUsersCheck({ experiment, qaUsersSeen }: HealthFacts): readonly HealthCheck[] {
  const listed = variantsOfQaUsers(experiment.config).size;
  if (listed === 0) return [];
  const seen = qaUsersSeen.size;
  const base = {
    code: "qa-users",
    measure: "count",
    value: seen,
    threshold: 1,
    since: earliest([...qaUsersSeen.values()]),
    arms: {},
    action: null,
  } as const;
  const users = seen === 1 ? "1 QA user" : `${seen} QA users`;
  return [
    seen === 0
      ? { ...base, severity: "ok", detail: `No QA user has sent an event yet, of ${listed} listed.` }
      : { ...base, severity: "info", detail: `${users} set apart, of ${listed} listed: they are in no arm.` },
  ];
}
