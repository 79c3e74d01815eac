import { expect, test } from "vitest";
import { notFoundKind } from "./operation.ts";
import { operations } from "./operations/index.ts";

test.each([
  { path: "/v1/experiments/{id}/exclusions/{number}/lift", id: "id", kind: "experiment-not-found" },
  { path: "/v1/experiments/{id}/exclusions/{number}/lift", id: "number", kind: "exclusion-not-found" },
  { path: "/v1/experiments/{id}/events/{event_id}", id: "event_id", kind: "event-not-found" },
  { path: "/v1/experiments/{id}/report-links/{link_id}", id: "link_id", kind: "report-link-not-found" },
  { path: "/v1/experiments/{id}/results/{day}/evidence", id: "day", kind: "run-not-found" },
  { path: "/v1/alert-channels/{id}", id: "id", kind: "alert-channel-not-found" },
  { path: "/v1/keys/{scope}/reveal", id: "scope", kind: "key-not-revealable" },
])("a malformed $id of $path is $kind", ({ path, id, kind }) => {
  expect(notFoundKind(operations.find((operation) => operation.path === path)!, id)).toBe(kind);
});
