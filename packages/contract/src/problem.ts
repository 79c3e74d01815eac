import type { ProblemKind } from "@assay/domain";

interface ProblemRow {
  readonly status: number;
  readonly title: string;
}

/** The closed list of problems (RFC 9457). Every kind has one fixed status and title; the compiler requires a row for each. */
export const problems: Readonly<Record<ProblemKind, ProblemRow>> = {
  "invalid-body": { status: 400, title: "The request body is not valid" },
  "invalid-query": { status: 400, title: "A query parameter is not valid" },
  "invalid-host": {
    status: 400,
    title: "The Host header is not a name of this installation, or is repeated",
  },
  "invalid-credential": { status: 401, title: "The credential is missing or not valid" },
  "invalid-signature": { status: 401, title: "The signature is missing or not valid" },
  "role-required": { status: 403, title: "Your role does not allow this" },
  "person-required": { status: 403, title: "A service token may not do this" },
  "platform-owner-required": { status: 403, title: "Only the platform owner may do this" },
  "recent-sign-in-required": { status: 403, title: "This needs a recent sign-in" },
  "passkey-required": { status: 403, title: "Your organization requires a passkey" },
  "passkey-refused": { status: 403, title: "The passkey was not accepted" },
  "seat-required": { status: 403, title: "All seats of the plan are taken" },
  "foreign-origin": { status: 403, title: "The request comes from another origin" },
  "not-found": { status: 404, title: "There is nothing at this address" },
  "experiment-not-found": { status: 404, title: "There is no such experiment" },
  "metric-not-found": { status: 404, title: "There is no such metric" },
  "results-not-ready": { status: 404, title: "Results are not computed yet" },
  "run-not-found": { status: 404, title: "There is no run under this label" },
  "row-not-found": { status: 404, title: "The run has no such row" },
  "replay-not-found": { status: 404, title: "The experiment was never replayed" },
  "event-not-found": { status: 404, title: "There is no such event" },
  "exclusion-not-found": { status: 404, title: "There is no such exclusion" },
  "rehearsal-not-found": { status: 404, title: "There is no such rehearsal" },
  "org-not-found": { status: 404, title: "There is no such organization" },
  "price-not-found": { status: 404, title: "There is no such price" },
  "member-not-found": { status: 404, title: "There is no such member" },
  "invitation-not-found": { status: 404, title: "There is no such invitation" },
  "token-not-found": { status: 404, title: "There is no such service token" },
  "passkey-not-found": { status: 404, title: "There is no such passkey" },
  "report-link-not-found": { status: 404, title: "This link shows no report" },
  "dataset-not-found": { status: 404, title: "There is no such dataset" },
  "alert-channel-not-found": { status: 404, title: "There is no such alert channel" },
  "alert-delivery-not-found": { status: 404, title: "There is no such delivery" },
  "key-not-revealable": { status: 404, title: "There is no key that can be revealed" },
  "method-not-allowed": { status: 405, title: "This address does not take this method" },
  "experiment-name-taken": { status: 409, title: "Another experiment has this name" },
  "experiment-not-deletable": { status: 409, title: "Only drafts and archived experiments can be deleted" },
  "not-holdable": { status: 409, title: "The experiment cannot be held or resumed now" },
  "exclusion-lifted": { status: 409, title: "The exclusion is lifted already" },
  "replay-under-way": { status: 409, title: "A replay of this organization is under way" },
  "rehearsal-state": { status: 409, title: "The rehearsal cannot do this now" },
  "too-many-rehearsals": {
    status: 409,
    title: "The organization has the maximum number of open rehearsals",
  },
  "model-without-price": { status: 409, title: "A model has no price" },
  "members-elsewhere": { status: 409, title: "Members are managed at the identity provider" },
  "seats-exhausted": { status: 409, title: "All seats of the plan are taken" },
  "session-of-another": { status: 409, title: "Somebody else is signed in in this browser" },
  "last-owner": { status: 409, title: "An organization keeps at least one owner" },
  "too-many-tokens": { status: 409, title: "The organization has the maximum number of service tokens" },
  "too-many-passkeys": { status: 409, title: "You have the maximum number of passkeys" },
  "too-many-report-links": { status: 409, title: "The experiment has the maximum number of links" },
  "too-many-datasets": { status: 409, title: "The organization has the maximum number of datasets" },
  "too-many-alert-channels": {
    status: 409,
    title: "The organization has the maximum number of alert channels",
  },
  "alert-channel-off": { status: 409, title: "The alert channel is switched off" },
  "alert-channel-unsigned": { status: 409, title: "Only webhooks have a secret" },
  "mail-not-configured": { status: 409, title: "This installation sends no mail" },
  "report-links-forbidden": { status: 403, title: "The organization allows no links to reports" },
  "passkey-address": { status: 409, title: "Passkeys need a host name" },
  "billing-not-configured": { status: 409, title: "This installation has no billing" },
  "checkout-conflict": { status: 409, title: "The organization has a subscription already" },
  "no-billing-account": { status: 409, title: "The organization has no billing account" },
  "body-timeout": { status: 408, title: "The request body took too long to arrive" },
  "judge-not-available": { status: 409, title: "No judge is available now" },
  "evidence-gone": { status: 410, title: "The data of this row are gone" },
  "version-mismatch": { status: 412, title: "The experiment has a newer version" },
  "body-too-large": { status: 413, title: "The request body is too large" },
  "unsupported-media-type": { status: 415, title: "This media type is not accepted here" },
  "rate-limited": { status: 429, title: "Too many requests" },
  "allowance-exhausted": { status: 429, title: "The monthly event allowance is used up" },
  "test-event-limit": { status: 429, title: "Too many test events for this experiment" },
  "queue-full": { status: 503, title: "The ingest queue is full" },
  "storage-unavailable": { status: 503, title: "Storage is not available" },
  "identity-unavailable": { status: 503, title: "The identity provider does not answer" },
  "billing-unavailable": { status: 503, title: "The billing provider does not answer" },
  internal: { status: 500, title: "Something went wrong on our side" },
};

export const PROBLEM_TYPE_BASE = "https://assay.dev/problems/";

/** Returns the stable URI that names a kind of problem. */
export function problemType(kind: ProblemKind): string {
  return PROBLEM_TYPE_BASE + kind;
}
