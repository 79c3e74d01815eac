// Made from the OpenAPI document by `npm run check -- --write`: never edited by hand.
export interface paths {
    readonly "/v1/admin/dead-letters": {
        readonly parameters: {
            readonly query?: never;
            readonly header?: never;
            readonly path?: never;
            readonly cookie?: never;
        };
        /** Lists accepted batches of events that could not be stored, newest first. */
        readonly get: operations["listDeadLetters"];
        readonly put?: never;
        readonly post?: never;
        readonly delete?: never;
        readonly options?: never;
        readonly head?: never;
        readonly patch?: never;
        readonly trace?: never;
    };
    readonly "/v1/admin/dead-letters/replay": {
        readonly parameters: {
            readonly query?: never;
            readonly header?: never;
            readonly path?: never;
            readonly cookie?: never;
        };
        readonly get?: never;
        readonly put?: never;
        /** Puts dead letters back into the queue of accepted events. */
        readonly post: operations["replayDeadLetters"];
        readonly delete?: never;
        readonly options?: never;
        readonly head?: never;
        readonly patch?: never;
        readonly trace?: never;
    };
    readonly "/v1/admin/health": {
        readonly parameters: {
            readonly query?: never;
            readonly header?: never;
            readonly path?: never;
            readonly cookie?: never;
        };
        /** Tells how the service's dependencies, the queue and the nightly pipeline are. */
        readonly get: operations["getAdminHealth"];
        readonly put?: never;
        readonly post?: never;
        readonly delete?: never;
        readonly options?: never;
        readonly head?: never;
        readonly patch?: never;
        readonly trace?: never;
    };
    readonly "/v1/admin/inbox": {
        readonly parameters: {
            readonly query?: never;
            readonly header?: never;
            readonly path?: never;
            readonly cookie?: never;
        };
        /** Lists contact messages and every org's feedback, newest first. */
        readonly get: operations["listInbox"];
        readonly put?: never;
        readonly post?: never;
        readonly delete?: never;
        readonly options?: never;
        readonly head?: never;
        readonly patch?: never;
        readonly trace?: never;
    };
    readonly "/v1/admin/orgs": {
        readonly parameters: {
            readonly query?: never;
            readonly header?: never;
            readonly path?: never;
            readonly cookie?: never;
        };
        /** Lists every org with its plan and its usage of this month, newest first. */
        readonly get: operations["listAdminOrgs"];
        readonly put?: never;
        readonly post?: never;
        readonly delete?: never;
        readonly options?: never;
        readonly head?: never;
        readonly patch?: never;
        readonly trace?: never;
    };
    readonly "/v1/admin/orgs/{id}": {
        readonly parameters: {
            readonly query?: never;
            readonly header?: never;
            readonly path?: never;
            readonly cookie?: never;
        };
        /** Reads one org's plan, members and usage. */
        readonly get: operations["getAdminOrg"];
        readonly put?: never;
        readonly post?: never;
        readonly delete?: never;
        readonly options?: never;
        readonly head?: never;
        readonly patch?: never;
        readonly trace?: never;
    };
    readonly "/v1/admin/orgs/{id}/plan-override": {
        readonly parameters: {
            readonly query?: never;
            readonly header?: never;
            readonly path?: never;
            readonly cookie?: never;
        };
        readonly get?: never;
        /** Pins an org's plan over what the billing provider says; null unpins it. In force at once. */
        readonly put: operations["putPlanOverride"];
        readonly post?: never;
        readonly delete?: never;
        readonly options?: never;
        readonly head?: never;
        readonly patch?: never;
        readonly trace?: never;
    };
    readonly "/v1/admin/overview": {
        readonly parameters: {
            readonly query?: never;
            readonly header?: never;
            readonly path?: never;
            readonly cookie?: never;
        };
        /** Reads the totals over all orgs and the traffic of the last 30 days. */
        readonly get: operations["getAdminOverview"];
        readonly put?: never;
        readonly post?: never;
        readonly delete?: never;
        readonly options?: never;
        readonly head?: never;
        readonly patch?: never;
        readonly trace?: never;
    };
    readonly "/v1/admin/pipeline-runs": {
        readonly parameters: {
            readonly query?: never;
            readonly header?: never;
            readonly path?: never;
            readonly cookie?: never;
        };
        readonly get?: never;
        readonly put?: never;
        /** Runs the nightly pipeline for a UTC day and answers what it did. */
        readonly post: operations["runPipeline"];
        readonly delete?: never;
        readonly options?: never;
        readonly head?: never;
        readonly patch?: never;
        readonly trace?: never;
    };
    readonly "/v1/admin/seats/resync": {
        readonly parameters: {
            readonly query?: never;
            readonly header?: never;
            readonly path?: never;
            readonly cookie?: never;
        };
        readonly get?: never;
        readonly put?: never;
        /** Pushes every org's seat cap to the identity provider; harmless to repeat. */
        readonly post: operations["resyncSeats"];
        readonly delete?: never;
        readonly options?: never;
        readonly head?: never;
        readonly patch?: never;
        readonly trace?: never;
    };
    readonly "/v1/assign": {
        readonly parameters: {
            readonly query?: never;
            readonly header?: never;
            readonly path?: never;
            readonly cookie?: never;
        };
        readonly get?: never;
        readonly put?: never;
        /** Resolves a user to a variant: deterministic and sticky. Null when the user is not in the experiment. */
        readonly post: operations["assign"];
        readonly delete?: never;
        readonly options?: never;
        readonly head?: never;
        readonly patch?: never;
        readonly trace?: never;
    };
    readonly "/v1/audit": {
        readonly parameters: {
            readonly query?: never;
            readonly header?: never;
            readonly path?: never;
            readonly cookie?: never;
        };
        /** Lists who did what, newest first. */
        readonly get: operations["listAudit"];
        readonly put?: never;
        readonly post?: never;
        readonly delete?: never;
        readonly options?: never;
        readonly head?: never;
        readonly patch?: never;
        readonly trace?: never;
    };
    readonly "/v1/billing/checkout-session": {
        readonly parameters: {
            readonly query?: never;
            readonly header?: never;
            readonly path?: never;
            readonly cookie?: never;
        };
        readonly get?: never;
        readonly put?: never;
        /** Opens a hosted checkout for a plan. An org with a live subscription changes it in the portal. */
        readonly post: operations["createCheckoutSession"];
        readonly delete?: never;
        readonly options?: never;
        readonly head?: never;
        readonly patch?: never;
        readonly trace?: never;
    };
    readonly "/v1/billing/portal-session": {
        readonly parameters: {
            readonly query?: never;
            readonly header?: never;
            readonly path?: never;
            readonly cookie?: never;
        };
        readonly get?: never;
        readonly put?: never;
        /** Opens the hosted billing portal: another plan, another card, invoices, the end. */
        readonly post: operations["createPortalSession"];
        readonly delete?: never;
        readonly options?: never;
        readonly head?: never;
        readonly patch?: never;
        readonly trace?: never;
    };
    readonly "/v1/billing/summary": {
        readonly parameters: {
            readonly query?: never;
            readonly header?: never;
            readonly path?: never;
            readonly cookie?: never;
        };
        /** Reads the org's plan, what it will be, and the state of its subscription. */
        readonly get: operations["getBillingSummary"];
        readonly put?: never;
        readonly post?: never;
        readonly delete?: never;
        readonly options?: never;
        readonly head?: never;
        readonly patch?: never;
        readonly trace?: never;
    };
    readonly "/v1/business-events": {
        readonly parameters: {
            readonly query?: never;
            readonly header?: never;
            readonly path?: never;
            readonly cookie?: never;
        };
        readonly get?: never;
        readonly put?: never;
        /** Accepts one business event, signed with the org's webhook secret; at most 256 KiB, gzip accepted. A repeat counts once. */
        readonly post: operations["ingestBusinessEvent"];
        readonly delete?: never;
        readonly options?: never;
        readonly head?: never;
        readonly patch?: never;
        readonly trace?: never;
    };
    readonly "/v1/config": {
        readonly parameters: {
            readonly query?: never;
            readonly header?: never;
            readonly path?: never;
            readonly cookie?: never;
        };
        /** Reads the bucket maps and variants that client libraries assign from. */
        readonly get: operations["getConfig"];
        readonly put?: never;
        readonly post?: never;
        readonly delete?: never;
        readonly options?: never;
        readonly head?: never;
        readonly patch?: never;
        readonly trace?: never;
    };
    readonly "/v1/contact": {
        readonly parameters: {
            readonly query?: never;
            readonly header?: never;
            readonly path?: never;
            readonly cookie?: never;
        };
        readonly get?: never;
        readonly put?: never;
        /** Sends a message to the platform owner, from anybody: at most 64 KiB, and a few an hour per IP address. The answer has no body. */
        readonly post: operations["contact"];
        readonly delete?: never;
        readonly options?: never;
        readonly head?: never;
        readonly patch?: never;
        readonly trace?: never;
    };
    readonly "/v1/demo": {
        readonly parameters: {
            readonly query?: never;
            readonly header?: never;
            readonly path?: never;
            readonly cookie?: never;
        };
        readonly get?: never;
        readonly put?: never;
        /** Loads the bundled real experiment with its traffic and its nightly runs. Loaded already: answers it. */
        readonly post: operations["loadDemo"];
        /** Removes the demo experiment and everything that belongs to it. Not loaded: nothing happens. */
        readonly delete: operations["removeDemo"];
        readonly options?: never;
        readonly head?: never;
        readonly patch?: never;
        readonly trace?: never;
    };
    readonly "/v1/events": {
        readonly parameters: {
            readonly query?: never;
            readonly header?: never;
            readonly path?: never;
            readonly cookie?: never;
        };
        readonly get?: never;
        readonly put?: never;
        /** Accepts a batch of 1 to 1,000 events, at most 5 MiB, gzip accepted. Acknowledged means on disk. */
        readonly post: operations["ingestEvents"];
        readonly delete?: never;
        readonly options?: never;
        readonly head?: never;
        readonly patch?: never;
        readonly trace?: never;
    };
    readonly "/v1/events/import": {
        readonly parameters: {
            readonly query?: never;
            readonly header?: never;
            readonly path?: never;
            readonly cookie?: never;
        };
        readonly get?: never;
        readonly put?: never;
        /** Imports events from CSV, JSON or NDJSON, at most 100 MiB, gzip accepted. Rows are independent: a malformed one is reported and skipped. */
        readonly post: operations["importEvents"];
        readonly delete?: never;
        readonly options?: never;
        readonly head?: never;
        readonly patch?: never;
        readonly trace?: never;
    };
    readonly "/v1/experiments": {
        readonly parameters: {
            readonly query?: never;
            readonly header?: never;
            readonly path?: never;
            readonly cookie?: never;
        };
        /** Lists the org's experiments, latest version each, newest first. */
        readonly get: operations["listExperiments"];
        readonly put?: never;
        /** Creates an experiment at version 1. */
        readonly post: operations["createExperiment"];
        readonly delete?: never;
        readonly options?: never;
        readonly head?: never;
        readonly patch?: never;
        readonly trace?: never;
    };
    readonly "/v1/experiments/{id}": {
        readonly parameters: {
            readonly query?: never;
            readonly header?: never;
            readonly path?: never;
            readonly cookie?: never;
        };
        /** Reads the latest version of an experiment. */
        readonly get: operations["getExperiment"];
        /** Mints a new version. Absent fields keep their value; users who may hold a variant keep it. */
        readonly put: operations["updateExperiment"];
        readonly post?: never;
        readonly delete?: never;
        readonly options?: never;
        readonly head?: never;
        readonly patch?: never;
        readonly trace?: never;
    };
    readonly "/v1/experiments/{id}/analyze": {
        readonly parameters: {
            readonly query?: never;
            readonly header?: never;
            readonly path?: never;
            readonly cookie?: never;
        };
        readonly get?: never;
        readonly put?: never;
        /** Runs a preliminary analysis over a window that ends now, and keeps it for good. */
        readonly post: operations["analyzeExperiment"];
        readonly delete?: never;
        readonly options?: never;
        readonly head?: never;
        readonly patch?: never;
        readonly trace?: never;
    };
    readonly "/v1/experiments/{id}/events": {
        readonly parameters: {
            readonly query?: never;
            readonly header?: never;
            readonly path?: never;
            readonly cookie?: never;
        };
        /** Lists an experiment's raw events, newest first unless sorted; texts are cut, expired events are gone. */
        readonly get: operations["listStoredEvents"];
        readonly put?: never;
        readonly post?: never;
        readonly delete?: never;
        readonly options?: never;
        readonly head?: never;
        readonly patch?: never;
        readonly trace?: never;
    };
    readonly "/v1/experiments/{id}/events/{event_id}": {
        readonly parameters: {
            readonly query?: never;
            readonly header?: never;
            readonly path?: never;
            readonly cookie?: never;
        };
        /** Reads one raw event with its texts, and the user's outcomes. */
        readonly get: operations["getStoredEvent"];
        readonly put?: never;
        readonly post?: never;
        readonly delete?: never;
        readonly options?: never;
        readonly head?: never;
        readonly patch?: never;
        readonly trace?: never;
    };
    readonly "/v1/experiments/{id}/health": {
        readonly parameters: {
            readonly query?: never;
            readonly header?: never;
            readonly path?: never;
            readonly cookie?: never;
        };
        /** Judges the quality of an experiment's data as of now, and repeats the remarks of the run computed last. */
        readonly get: operations["getExperimentHealth"];
        readonly put?: never;
        readonly post?: never;
        readonly delete?: never;
        readonly options?: never;
        readonly head?: never;
        readonly patch?: never;
        readonly trace?: never;
    };
    readonly "/v1/experiments/{id}/judgements": {
        readonly parameters: {
            readonly query?: never;
            readonly header?: never;
            readonly path?: never;
            readonly cookie?: never;
        };
        /** Lists an experiment's judgements with the judge's reasons, and the failed ones with theirs. */
        readonly get: operations["listJudgements"];
        readonly put?: never;
        readonly post?: never;
        readonly delete?: never;
        readonly options?: never;
        readonly head?: never;
        readonly patch?: never;
        readonly trace?: never;
    };
    readonly "/v1/experiments/{id}/judgements/retry": {
        readonly parameters: {
            readonly query?: never;
            readonly header?: never;
            readonly path?: never;
            readonly cookie?: never;
        };
        readonly get?: never;
        readonly put?: never;
        /** Has the failed judgements of a metric made again. */
        readonly post: operations["retryJudgements"];
        readonly delete?: never;
        readonly options?: never;
        readonly head?: never;
        readonly patch?: never;
        readonly trace?: never;
    };
    readonly "/v1/experiments/{id}/labels": {
        readonly parameters: {
            readonly query?: never;
            readonly header?: never;
            readonly path?: never;
            readonly cookie?: never;
        };
        /** Lists the labels of people beside what the judge says of the same calls, newest first. */
        readonly get: operations["listLabels"];
        readonly put?: never;
        /** Stores a person's score of a judged call; an earlier one of the same call is replaced. */
        readonly post: operations["createLabel"];
        readonly delete?: never;
        readonly options?: never;
        readonly head?: never;
        readonly patch?: never;
        readonly trace?: never;
    };
    readonly "/v1/experiments/{id}/labels/agreement": {
        readonly parameters: {
            readonly query?: never;
            readonly header?: never;
            readonly path?: never;
            readonly cookie?: never;
        };
        /** Tells how far a metric's judge agrees with people, arm by arm. */
        readonly get: operations["getAgreement"];
        readonly put?: never;
        readonly post?: never;
        readonly delete?: never;
        readonly options?: never;
        readonly head?: never;
        readonly patch?: never;
        readonly trace?: never;
    };
    readonly "/v1/experiments/{id}/labels/queue": {
        readonly parameters: {
            readonly query?: never;
            readonly header?: never;
            readonly path?: never;
            readonly cookie?: never;
        };
        /** Draws judged calls for people to score, blind to variant and judge. */
        readonly get: operations["getLabelQueue"];
        readonly put?: never;
        readonly post?: never;
        readonly delete?: never;
        readonly options?: never;
        readonly head?: never;
        readonly patch?: never;
        readonly trace?: never;
    };
    readonly "/v1/experiments/{id}/live": {
        readonly parameters: {
            readonly query?: never;
            readonly header?: never;
            readonly path?: never;
            readonly cookie?: never;
        };
        /** Reads uncorrected counts and distributions as of now. Not a basis for decisions. */
        readonly get: operations["getLiveStats"];
        readonly put?: never;
        readonly post?: never;
        readonly delete?: never;
        readonly options?: never;
        readonly head?: never;
        readonly patch?: never;
        readonly trace?: never;
    };
    readonly "/v1/experiments/{id}/overview": {
        readonly parameters: {
            readonly query?: never;
            readonly header?: never;
            readonly path?: never;
            readonly cookie?: never;
        };
        /** Tells where an experiment stands. */
        readonly get: operations["getExperimentOverview"];
        readonly put?: never;
        readonly post?: never;
        readonly delete?: never;
        readonly options?: never;
        readonly head?: never;
        readonly patch?: never;
        readonly trace?: never;
    };
    readonly "/v1/experiments/{id}/plan": {
        readonly parameters: {
            readonly query?: never;
            readonly header?: never;
            readonly path?: never;
            readonly cookie?: never;
        };
        readonly get?: never;
        readonly put?: never;
        /** Answers how many users and days each comparison needs, and how small an effect a number of days finds; before the start too. */
        readonly post: operations["planExperiment"];
        readonly delete?: never;
        readonly options?: never;
        readonly head?: never;
        readonly patch?: never;
        readonly trace?: never;
    };
    readonly "/v1/experiments/{id}/results": {
        readonly parameters: {
            readonly query?: never;
            readonly header?: never;
            readonly path?: never;
            readonly cookie?: never;
        };
        /** Reads a run's results: the run computed last, or the one named by day. */
        readonly get: operations["getResults"];
        readonly put?: never;
        readonly post?: never;
        readonly delete?: never;
        readonly options?: never;
        readonly head?: never;
        readonly patch?: never;
        readonly trace?: never;
    };
    readonly "/v1/experiments/{id}/results/history": {
        readonly parameters: {
            readonly query?: never;
            readonly header?: never;
            readonly path?: never;
            readonly cookie?: never;
        };
        /** Reads the effects of the nightly runs, night after night. */
        readonly get: operations["getResultsHistory"];
        readonly put?: never;
        readonly post?: never;
        readonly delete?: never;
        readonly options?: never;
        readonly head?: never;
        readonly patch?: never;
        readonly trace?: never;
    };
    readonly "/v1/experiments/{id}/runs": {
        readonly parameters: {
            readonly query?: never;
            readonly header?: never;
            readonly path?: never;
            readonly cookie?: never;
        };
        /** Lists what the nightly pipeline did for an experiment, and when it comes next. */
        readonly get: operations["listNightlyRuns"];
        readonly put?: never;
        readonly post?: never;
        readonly delete?: never;
        readonly options?: never;
        readonly head?: never;
        readonly patch?: never;
        readonly trace?: never;
    };
    readonly "/v1/experiments/{id}/test-event": {
        readonly parameters: {
            readonly query?: never;
            readonly header?: never;
            readonly path?: never;
            readonly cookie?: never;
        };
        readonly get?: never;
        readonly put?: never;
        /** Sends one exposure of a test user to the control arm through the real ingest queue. */
        readonly post: operations["postTestEvent"];
        readonly delete?: never;
        readonly options?: never;
        readonly head?: never;
        readonly patch?: never;
        readonly trace?: never;
    };
    readonly "/v1/experiments/{id}/traffic": {
        readonly parameters: {
            readonly query?: never;
            readonly header?: never;
            readonly path?: never;
            readonly cookie?: never;
        };
        /** Reads exposures per day and variant, oldest first. */
        readonly get: operations["getTraffic"];
        readonly put?: never;
        readonly post?: never;
        readonly delete?: never;
        readonly options?: never;
        readonly head?: never;
        readonly patch?: never;
        readonly trace?: never;
    };
    readonly "/v1/experiments/{id}/versions": {
        readonly parameters: {
            readonly query?: never;
            readonly header?: never;
            readonly path?: never;
            readonly cookie?: never;
        };
        /** Lists every version of an experiment, newest first. */
        readonly get: operations["listExperimentVersions"];
        readonly put?: never;
        readonly post?: never;
        readonly delete?: never;
        readonly options?: never;
        readonly head?: never;
        readonly patch?: never;
        readonly trace?: never;
    };
    readonly "/v1/feedback": {
        readonly parameters: {
            readonly query?: never;
            readonly header?: never;
            readonly path?: never;
            readonly cookie?: never;
        };
        /** Lists the feedback that the org has written, newest first. */
        readonly get: operations["listFeedback"];
        readonly put?: never;
        /** Writes to the platform owner. */
        readonly post: operations["createFeedback"];
        readonly delete?: never;
        readonly options?: never;
        readonly head?: never;
        readonly patch?: never;
        readonly trace?: never;
    };
    readonly "/v1/invitations": {
        readonly parameters: {
            readonly query?: never;
            readonly header?: never;
            readonly path?: never;
            readonly cookie?: never;
        };
        /** Lists the invitations that can still be used, newest first, never their links. */
        readonly get: operations["listInvitations"];
        readonly put?: never;
        /** Makes a one-time sign-in link for a further member, or anew for one of them (local identity). Answers the link once; an earlier one for the same email is dead. */
        readonly post: operations["createInvitation"];
        readonly delete?: never;
        readonly options?: never;
        readonly head?: never;
        readonly patch?: never;
        readonly trace?: never;
    };
    readonly "/v1/invitations/{id}": {
        readonly parameters: {
            readonly query?: never;
            readonly header?: never;
            readonly path?: never;
            readonly cookie?: never;
        };
        readonly get?: never;
        readonly put?: never;
        readonly post?: never;
        /** Revokes an invitation: its link is dead at once. */
        readonly delete: operations["revokeInvitation"];
        readonly options?: never;
        readonly head?: never;
        readonly patch?: never;
        readonly trace?: never;
    };
    readonly "/v1/judges": {
        readonly parameters: {
            readonly query?: never;
            readonly header?: never;
            readonly path?: never;
            readonly cookie?: never;
        };
        /** Tells what judges do: every judged metric with its backlog, failures, cost and agreement with people. */
        readonly get: operations["getJudges"];
        readonly put?: never;
        readonly post?: never;
        readonly delete?: never;
        readonly options?: never;
        readonly head?: never;
        readonly patch?: never;
        readonly trace?: never;
    };
    readonly "/v1/keys": {
        readonly parameters: {
            readonly query?: never;
            readonly header?: never;
            readonly path?: never;
            readonly cookie?: never;
        };
        /** Lists the active keys, never the raw key. */
        readonly get: operations["listKeys"];
        readonly put?: never;
        /** Makes a new key of the scope; the previous one stops working at once. */
        readonly post: operations["rotateKey"];
        readonly delete?: never;
        readonly options?: never;
        readonly head?: never;
        readonly patch?: never;
        readonly trace?: never;
    };
    readonly "/v1/keys/{scope}/reveal": {
        readonly parameters: {
            readonly query?: never;
            readonly header?: never;
            readonly path?: never;
            readonly cookie?: never;
        };
        /** Reveals the active key of a scope; audit-logged. */
        readonly get: operations["revealKey"];
        readonly put?: never;
        readonly post?: never;
        readonly delete?: never;
        readonly options?: never;
        readonly head?: never;
        readonly patch?: never;
        readonly trace?: never;
    };
    readonly "/v1/members": {
        readonly parameters: {
            readonly query?: never;
            readonly header?: never;
            readonly path?: never;
            readonly cookie?: never;
        };
        /** Lists the org's members, newest first. */
        readonly get: operations["listMembers"];
        readonly put?: never;
        readonly post?: never;
        readonly delete?: never;
        readonly options?: never;
        readonly head?: never;
        readonly patch?: never;
        readonly trace?: never;
    };
    readonly "/v1/members/{id}": {
        readonly parameters: {
            readonly query?: never;
            readonly header?: never;
            readonly path?: never;
            readonly cookie?: never;
        };
        readonly get?: never;
        /** Sets a member's role (local identity); in force with their next request. Only an owner touches or makes an owner. */
        readonly put: operations["putMember"];
        readonly post?: never;
        /** Removes a member (local identity): their sessions end and their seat is free at once. */
        readonly delete: operations["removeMember"];
        readonly options?: never;
        readonly head?: never;
        readonly patch?: never;
        readonly trace?: never;
    };
    readonly "/v1/metrics": {
        readonly parameters: {
            readonly query?: never;
            readonly header?: never;
            readonly path?: never;
            readonly cookie?: never;
        };
        /** Lists the metrics of the org's experiments, and which experiments use them. */
        readonly get: operations["listMetrics"];
        readonly put?: never;
        readonly post?: never;
        readonly delete?: never;
        readonly options?: never;
        readonly head?: never;
        readonly patch?: never;
        readonly trace?: never;
    };
    readonly "/v1/overview": {
        readonly parameters: {
            readonly query?: never;
            readonly header?: never;
            readonly path?: never;
            readonly cookie?: never;
        };
        /** Lists where every experiment of the org stands, newest first: the list of the dashboard. */
        readonly get: operations["listOverview"];
        readonly put?: never;
        readonly post?: never;
        readonly delete?: never;
        readonly options?: never;
        readonly head?: never;
        readonly patch?: never;
        readonly trace?: never;
    };
    readonly "/v1/plan": {
        readonly parameters: {
            readonly query?: never;
            readonly header?: never;
            readonly path?: never;
            readonly cookie?: never;
        };
        readonly get?: never;
        readonly put?: never;
        /** Answers the same for an experiment that is not stored: nothing is kept. */
        readonly post: operations["planConfig"];
        readonly delete?: never;
        readonly options?: never;
        readonly head?: never;
        readonly patch?: never;
        readonly trace?: never;
    };
    readonly "/v1/prices": {
        readonly parameters: {
            readonly query?: never;
            readonly header?: never;
            readonly path?: never;
            readonly cookie?: never;
        };
        /** Lists what models cost the org: its own prices and the built-in ones. */
        readonly get: operations["listPrices"];
        /** Sets the org's own price of a model from a day on; the next run of each experiment uses it. */
        readonly put: operations["putPrice"];
        readonly post?: never;
        /** Removes the org's own price of a model from a day on; a built-in one under it holds again. */
        readonly delete: operations["removePrice"];
        readonly options?: never;
        readonly head?: never;
        readonly patch?: never;
        readonly trace?: never;
    };
    readonly "/v1/results/summary": {
        readonly parameters: {
            readonly query?: never;
            readonly header?: never;
            readonly path?: never;
            readonly cookie?: never;
        };
        /** Lists the run computed last of every experiment that has one. */
        readonly get: operations["listResultsSummary"];
        readonly put?: never;
        readonly post?: never;
        readonly delete?: never;
        readonly options?: never;
        readonly head?: never;
        readonly patch?: never;
        readonly trace?: never;
    };
    readonly "/v1/usage": {
        readonly parameters: {
            readonly query?: never;
            readonly header?: never;
            readonly path?: never;
            readonly cookie?: never;
        };
        /** Reads what this UTC calendar month has used of the plan, and the plan's limits. */
        readonly get: operations["getUsage"];
        readonly put?: never;
        readonly post?: never;
        readonly delete?: never;
        readonly options?: never;
        readonly head?: never;
        readonly patch?: never;
        readonly trace?: never;
    };
    readonly "/v1/webhook-secrets": {
        readonly parameters: {
            readonly query?: never;
            readonly header?: never;
            readonly path?: never;
            readonly cookie?: never;
        };
        /** Tells whether the org has a secret that signs business events, never the secret. */
        readonly get: operations["getWebhookSecret"];
        readonly put?: never;
        /** Makes a new secret that signs business events; the previous one stops working at once. */
        readonly post: operations["rotateWebhookSecret"];
        readonly delete?: never;
        readonly options?: never;
        readonly head?: never;
        readonly patch?: never;
        readonly trace?: never;
    };
    readonly "/v1/webhooks/clerk": {
        readonly parameters: {
            readonly query?: never;
            readonly header?: never;
            readonly path?: never;
            readonly cookie?: never;
        };
        readonly get?: never;
        readonly put?: never;
        /** Takes what Clerk tells of users, organizations and memberships; other events are acknowledged. Any order, any number of times. */
        readonly post: operations["syncIdentity"];
        readonly delete?: never;
        readonly options?: never;
        readonly head?: never;
        readonly patch?: never;
        readonly trace?: never;
    };
    readonly "/v1/webhooks/stripe": {
        readonly parameters: {
            readonly query?: never;
            readonly header?: never;
            readonly path?: never;
            readonly cookie?: never;
        };
        readonly get?: never;
        readonly put?: never;
        /** Takes an event of Stripe's; at most 256 KiB. Subscriptions change the plan, in any order and however often they come. */
        readonly post: operations["receiveStripeEvent"];
        readonly delete?: never;
        readonly options?: never;
        readonly head?: never;
        readonly patch?: never;
        readonly trace?: never;
    };
    readonly "/v1/whoami": {
        readonly parameters: {
            readonly query?: never;
            readonly header?: never;
            readonly path?: never;
            readonly cookie?: never;
        };
        /** Reads the caller's org, user and role. */
        readonly get: operations["whoami"];
        readonly put?: never;
        readonly post?: never;
        readonly delete?: never;
        readonly options?: never;
        readonly head?: never;
        readonly patch?: never;
        readonly trace?: never;
    };
}
export type webhooks = Record<string, never>;
export interface components {
    schemas: {
        readonly AdminHealth: {
            readonly dependencies: readonly {
                readonly detail: string | null;
                readonly latency_ms: number | null;
                /** @enum {string} */
                readonly name: "control_plane" | "event_store" | "queue";
                /** @enum {string} */
                readonly status: "ok" | "degraded" | "down";
            }[];
            readonly pipeline: {
                /** @description Of the last 7 days, not made good by a later try: the newest 50. */
                readonly failures: readonly {
                    /** @description UTC day, YYYY-MM-DD. */
                    readonly day: string;
                    readonly detail: string | null;
                    /**
                     * Format: uuid
                     * @description UUIDv7, lower case.
                     */
                    readonly experiment_id: string;
                    readonly name: string;
                    /**
                     * Format: uuid
                     * @description UUIDv7, lower case.
                     */
                    readonly org_id: string;
                }[];
                readonly last_run: {
                    /** @description UTC day, YYYY-MM-DD. */
                    readonly day: string;
                    readonly finished_at: string | null;
                    readonly outcomes: {
                        readonly collecting: number;
                        readonly computed: number;
                        readonly failed: number;
                        readonly running: number;
                        readonly withheld: number;
                    };
                } | null;
                /**
                 * Format: date-time
                 * @description RFC 3339 in UTC with milliseconds.
                 */
                readonly next_run_at: string;
            };
            readonly queue: {
                readonly batches: number;
                readonly bytes: number;
                readonly oldest_age_seconds: number | null;
            } | null;
            /**
             * Format: date-time
             * @description When the process that answers began.
             */
            readonly started_at: string;
            /**
             * @description down: a dependency does not answer. degraded: the queue lags, or analyses failed.
             * @enum {string}
             */
            readonly status: "ok" | "degraded" | "down";
            readonly version: string;
        };
        readonly AdminOrg: {
            /**
             * Format: date-time
             * @description RFC 3339 in UTC with milliseconds.
             */
            readonly created_at: string;
            readonly experiments: number;
            /** @description The newest 200. `joined_at` is null for somebody who has not been here yet. */
            readonly member_list: readonly {
                readonly email: string;
                readonly joined_at: string | null;
                readonly name: string;
                /** @enum {string} */
                readonly role: "member" | "admin" | "owner";
                /**
                 * Format: uuid
                 * @description UUIDv7, lower case.
                 */
                readonly user_id: string;
            }[];
            readonly members: number;
            readonly members_truncated: boolean;
            readonly name: string;
            /**
             * Format: uuid
             * @description UUIDv7, lower case.
             */
            readonly org_id: string;
            /**
             * @description The plan in force.
             * @enum {string}
             */
            readonly plan: "free" | "pro" | "business" | "enterprise";
            readonly plan_override: ("free" | "pro" | "business" | "enterprise") | null;
            /**
             * @description What the billing provider says.
             * @enum {string}
             */
            readonly subscription_plan: "free" | "pro" | "business" | "enterprise";
            readonly usage: {
                readonly event_allowance: number | null;
                readonly events: number;
                readonly judge_evaluations: number;
                /** @description UTC calendar month, YYYY-MM. */
                readonly month: string;
            };
        };
        readonly AdminOrgPage: {
            readonly items: readonly components["schemas"]["AdminOrgSummary"][];
            readonly next_cursor: string | null;
        };
        readonly AdminOrgSummary: {
            /**
             * Format: date-time
             * @description RFC 3339 in UTC with milliseconds.
             */
            readonly created_at: string;
            readonly experiments: number;
            readonly members: number;
            readonly name: string;
            /**
             * Format: uuid
             * @description UUIDv7, lower case.
             */
            readonly org_id: string;
            /**
             * @description The plan in force.
             * @enum {string}
             */
            readonly plan: "free" | "pro" | "business" | "enterprise";
            readonly plan_override: ("free" | "pro" | "business" | "enterprise") | null;
            /**
             * @description What the billing provider says.
             * @enum {string}
             */
            readonly subscription_plan: "free" | "pro" | "business" | "enterprise";
            readonly usage: {
                readonly event_allowance: number | null;
                readonly events: number;
                readonly judge_evaluations: number;
                /** @description UTC calendar month, YYYY-MM. */
                readonly month: string;
            };
        };
        readonly AdminOverview: {
            /** @description Of this UTC calendar month, as metered. */
            readonly events_this_month: number;
            readonly experiments: {
                readonly draft: number;
                readonly running: number;
                readonly stopped: number;
            };
            readonly judge_evaluations_this_month: number;
            readonly orgs: number;
            readonly plans: {
                readonly business: number;
                readonly enterprise: number;
                readonly free: number;
                readonly pro: number;
            };
            /** @description Events by UTC day of receipt: the last 30 days, oldest first. */
            readonly traffic: readonly {
                /** @description UTC day, YYYY-MM-DD. */
                readonly day: string;
                readonly events: number;
            }[];
            readonly users: number;
        };
        readonly Agreement: {
            readonly arms: {
                readonly [key: string]: components["schemas"]["ArmAgreement"];
            };
            /** @description Of the matrices, worst first. */
            readonly categories: readonly string[];
            readonly drawn_labels: {
                readonly [key: string]: number;
            };
            readonly judge_version: string | null;
            readonly metric: string;
            readonly metric_version: number;
            /** @description Labels of each arm, drawn at random, before effects are calibrated. */
            readonly needed: number;
            readonly overall: components["schemas"]["ArmAgreement"];
        };
        readonly ApiKey: {
            /**
             * Format: date-time
             * @description RFC 3339 in UTC with milliseconds.
             */
            readonly created_at: string;
            readonly key: string;
            /** @enum {string} */
            readonly scope: "publishable" | "secret";
        };
        readonly ArmAgreement: {
            /** @description Labels that say what the judge says. */
            readonly agreeing: number;
            /** @description See ci_low. */
            readonly ci_high: number | null;
            /** @description 95 % interval of kappa. */
            readonly ci_low: number | null;
            /** @description The judge fails what people pass, of what people pass. */
            readonly false_fails: {
                readonly count: number;
                readonly of: number;
            };
            /** @description The judge passes what people fail, of what people fail. A pass: from 0.5 on (0-1), from 4 on (1-5). */
            readonly false_passes: {
                readonly count: number;
                readonly of: number;
            };
            /** @description Cohen's; quadratically weighted on the scale 1-5, of pass and fail (from 0.5 on) on 0-1. Null: too few labels, or all in one category. */
            readonly kappa: number | null;
            /** @description Labels with a score. */
            readonly labels: number;
            /** @description Counts by category: rows are what people say, columns what the judge says. */
            readonly matrix: readonly (readonly number[])[];
            /** @description Over the labelled calls. */
            readonly mean_judge_score: number | null;
            /** @description Over the labelled calls. */
            readonly mean_label: number | null;
        };
        readonly AssignRequest: {
            /** @description Id or name. */
            readonly experiment_id: string;
            readonly user_id: string;
        };
        readonly AssignResponse: {
            readonly config_version: number;
            readonly variant: string | null;
        };
        readonly AuditEntry: {
            readonly action: string;
            readonly actor: {
                readonly email: string;
                readonly id: string;
                readonly name: string;
            };
            /**
             * Format: date-time
             * @description RFC 3339 in UTC with milliseconds.
             */
            readonly at: string;
            readonly diff: {
                readonly [key: string]: unknown;
            } | null;
            /**
             * Format: uuid
             * @description UUIDv7, lower case.
             */
            readonly id: string;
            readonly summary: string;
            readonly target_id: string;
            readonly target_type: string;
        };
        readonly AuditPage: {
            readonly items: readonly components["schemas"]["AuditEntry"][];
            readonly next_cursor: string | null;
        };
        readonly BillingSummary: {
            /** @description Whether this installation has a billing provider. */
            readonly billing_configured: boolean;
            readonly cancel_at_period_end: boolean;
            readonly current_period_end: string | null;
            /** @description Whether the billing portal can be opened. */
            readonly has_billing_account: boolean;
            readonly next_plan: ("free" | "pro" | "business" | "enterprise") | null;
            readonly next_plan_at: string | null;
            /**
             * @description The plan in force, an override included.
             * @enum {string}
             */
            readonly plan: "free" | "pro" | "business" | "enterprise";
            readonly plan_override: ("free" | "pro" | "business" | "enterprise") | null;
            /**
             * @description What the subscription gives, without an override.
             * @enum {string}
             */
            readonly subscription_plan: "free" | "pro" | "business" | "enterprise";
            readonly subscription_status: ("incomplete" | "active" | "trialing" | "past_due" | "unpaid" | "paused" | "canceled" | "incomplete_expired") | null;
        };
        readonly BusinessEvent: {
            readonly business_metric: string;
            readonly event_id?: string | null;
            /**
             * Format: uuid
             * @description The experiment's id, not its name: it names the org whose secret signs.
             */
            readonly experiment_id: string;
            readonly metadata?: {
                readonly [key: string]: unknown;
            } | null;
            readonly timestamp?: (string | number) | null;
            readonly type?: "business_event" | null;
            readonly user_id: string;
            readonly value?: number | null;
            readonly variant?: string | null;
        };
        readonly CallScore: {
            /** @description A person's; null: none. */
            readonly label: number | null;
            readonly metric: string;
            readonly metric_version: number;
            readonly scale: ("pass_fail" | "1-5" | "0-1") | null;
            /** @description The judge's; null: not made yet, or failed. */
            readonly score: number | null;
            /** @enum {string} */
            readonly state: "pending" | "scored" | "failed";
        };
        readonly CheckoutRequest: {
            /** @enum {string} */
            readonly plan: "pro" | "business";
        };
        readonly ClerkEvent: {
            readonly data: {
                readonly [key: string]: unknown;
            };
            /** @description When it happened, epoch milliseconds. */
            readonly timestamp?: number;
            /** @description user.*, organization.* and organizationMembership.* are used. */
            readonly type: string;
        };
        readonly ClientConfig: {
            readonly config_version: number;
            readonly experiments: readonly {
                readonly bucket_count: number;
                /** @description Runs [end, variant_index] in order from bucket 0; -1: nobody. */
                readonly buckets: readonly (readonly number[])[];
                readonly control: string;
                /**
                 * Format: uuid
                 * @description UUIDv7, lower case.
                 */
                readonly id: string;
                readonly name: string;
                readonly salt: string;
                /** @enum {string} */
                readonly status: "running" | "stopped";
                readonly variants: readonly {
                    readonly enabled: boolean;
                    readonly key: string;
                    readonly prompt: string | null;
                    readonly variables: {
                        readonly [key: string]: unknown;
                    } | null;
                }[];
                readonly version: number;
            }[];
        };
        readonly ComparedLabel: {
            readonly event_id: string;
            /** @description The call was shown at random: such labels correct the judge. Others only show how far it agrees. */
            readonly is_drawn: boolean;
            readonly judge_reason: string;
            /** @description On the judge's scale. */
            readonly judge_score: number;
            /**
             * Format: date-time
             * @description RFC 3339 in UTC with milliseconds.
             */
            readonly labelled_at: string;
            readonly labelled_by: {
                readonly id: string;
                readonly name: string;
            };
            readonly metric: string;
            readonly metric_version: number;
            readonly note: string | null;
            /** @description Null: the person could not tell. */
            readonly score: number | null;
            readonly variant: string;
        };
        readonly ConfigPlan: {
            readonly alpha: number;
            /** @description alpha / (metrics × treatments of the experiment) (Bonferroni): cautious, for the correction of results (Benjamini-Hochberg) asks that much only of a lone effect. */
            readonly alpha_corrected: number;
            readonly notes: readonly string[];
            readonly power: number;
            readonly rows: readonly components["schemas"]["PlanRow"][];
            /** @description Each arm's share of the users in the experiment, from its bucket map as it is now. */
            readonly shares: {
                readonly [key: string]: number;
            };
            readonly users_per_day: {
                /**
                 * @description request: as sent; history: from the org's events of the last 14 days.
                 * @enum {string}
                 */
                readonly source: "request" | "history";
                readonly value: number;
            } | null;
        };
        readonly ConfigPlanRequest: {
            readonly experiment: components["schemas"]["ExperimentConfig"];
            readonly plan?: components["schemas"]["PlanRequest"];
        };
        readonly ContactRequest: {
            readonly company?: string;
            readonly email: string;
            readonly message: string;
            readonly name: string;
            /** @description A trap for robots: leave it empty. What fills it is not delivered. */
            readonly website?: string;
        };
        readonly CovariateAdjustment: {
            /** @description Share of users who have a value from before. */
            readonly coverage: number;
            /** @description How much of the value from before the first exposure was subtracted. */
            readonly theta: number;
            /** @description 1 − variance after the adjustment / variance before it. */
            readonly variance_reduction: number;
        };
        readonly DaysToGo: {
            /** @description Days of the traffic so far until that effect would be found with 80 % power; 0: now. Null: not within ten years. */
            readonly days: number | null;
            /** @description The same with the lower quartile of the last days' traffic. */
            readonly days_high: number | null;
            /** @description The same with the upper quartile of the last days' traffic. */
            readonly days_low: number | null;
            /** @description The effect that the metric's target_effect means, in the metric's unit. */
            readonly target_effect: number;
        };
        readonly DeadLetterReplay: {
            /** @description All dead letters when absent; ids that are none are passed over. */
            readonly ids?: readonly string[];
        };
        readonly DeadLetterReport: {
            /** @description Batches that wait for the event store again. */
            readonly replayed: number;
        };
        readonly DeadLetters: {
            /** @description Of all, listed or not. */
            readonly count: number;
            /** @description The newest 100. */
            readonly items: readonly {
                /**
                 * Format: date-time
                 * @description RFC 3339 in UTC with milliseconds.
                 */
                readonly buried_at: string;
                readonly bytes: number;
                readonly id: string;
                /**
                 * Format: uuid
                 * @description UUIDv7, lower case.
                 */
                readonly org_id: string;
                /** @description Why the event store refused it, without words of the events. */
                readonly reason: string;
                /**
                 * Format: date-time
                 * @description RFC 3339 in UTC with milliseconds.
                 */
                readonly received_at: string;
            }[];
        };
        readonly Distribution: {
            readonly bin_edges: readonly number[];
            readonly counts: readonly number[];
        };
        readonly Event: {
            readonly business_metric?: string | null;
            readonly cached_input_tokens?: number | null;
            readonly cost_usd?: number | null;
            readonly error?: boolean | null;
            readonly error_type?: string | null;
            /** @description Idempotency key within the org. */
            readonly event_id: string;
            /** @description Id or name. */
            readonly experiment_id: string;
            readonly finish_reason?: string | null;
            readonly input_tokens?: number | null;
            readonly latency_ms?: number | null;
            readonly metadata?: {
                readonly [key: string]: unknown;
            } | null;
            readonly model?: string | null;
            readonly output_tokens?: number | null;
            readonly payload?: {
                readonly [key: string]: unknown;
            } | null;
            readonly prompt?: string | null;
            readonly provider?: string | null;
            readonly reasoning_tokens?: number | null;
            readonly requested_model?: string | null;
            readonly response?: string | null;
            readonly time_to_first_token_ms?: number | null;
            /** @description RFC 3339 or epoch milliseconds; at most 24 h in the future, not before 2000. */
            readonly timestamp: string | number;
            /** @enum {string} */
            readonly type: "exposure" | "model_call" | "business_event";
            readonly user_id: string;
            readonly value?: number | null;
            readonly variant?: string | null;
        };
        readonly EventBatch: {
            /** @description How the client library that sends the batch is doing. Anything else here is ignored. */
            readonly client?: {
                /** @description Assignments answered null because no config was loaded yet, since the last batch. */
                readonly null_before_ready: number;
            };
            readonly events: readonly components["schemas"]["Event"][];
        } | readonly components["schemas"]["Event"][];
        readonly Experiment: {
            readonly allocation: readonly {
                readonly variant: string;
                /** @description Relative: 1/1, 50/50 and 0.5/0.5 are the same. */
                readonly weight: number;
            }[];
            /** @description Frozen at creation. */
            readonly bucket_count: number;
            /** @description Default: "control" if there is one, else the first allocated. */
            readonly control?: string;
            /** @description Share of all buckets that the experiment takes; default 1. */
            readonly coverage?: number;
            /**
             * Format: date-time
             * @description RFC 3339 in UTC with milliseconds.
             */
            readonly created_at: string;
            /** @description Only for status stopped; an experiment that runs again has none. */
            readonly decision?: {
                readonly note?: string | null;
                /** @enum {string} */
                readonly outcome: "won" | "lost" | "inconclusive" | "invalid";
                readonly variant?: string | null;
            } | null;
            readonly description?: string | null;
            /** @description Each variant's real share of all buckets. */
            readonly effective_allocation: {
                readonly [key: string]: number;
            };
            readonly hypothesis?: string | null;
            /**
             * Format: uuid
             * @description UUIDv7, lower case.
             */
            readonly id: string;
            /** @description The demo experiment: DELETE /v1/demo removes it. */
            readonly is_demo: boolean;
            readonly metrics: readonly {
                /** @description Only for kind mean: a user's value counts as this at most; "p99.9": as the 99.9 % quantile over the users of all arms together. */
                readonly cap?: number | "p99.9" | null;
                /** @enum {string} */
                readonly category: "latency" | "cost" | "reliability" | "business" | "quality";
                readonly description?: string | null;
                /** @enum {string} */
                readonly desired?: "increase" | "decrease";
                /** @description Only where a judge is the source. Null there: nothing is judged. */
                readonly judge?: {
                    /** @description What makes an answer good. A change of it, or of the scale, starts a new version of the metric. */
                    readonly rubric: string;
                    /** @description Share of the calls to be judged, as far as the plan's allowance goes; default 0.1. */
                    readonly sample_rate?: number;
                    /**
                     * @description pass_fail: 1 or 0; 1-5: whole points; 0-1: any number; default pass_fail.
                     * @enum {string}
                     */
                    readonly scale?: "pass_fail" | "1-5" | "0-1";
                } | null;
                /** @enum {string} */
                readonly kind: "binary" | "mean" | "ratio" | "quantile" | "ordinal";
                readonly margin?: number | null;
                readonly method?: ("auto" | "welch_t" | "ratio_delta" | "two_proportion_z" | "fisher_exact" | "permutation" | "mann_whitney_u" | "cluster_quantile" | "cluster_bootstrap" | "ppi_z") | null;
                /** @enum {string} */
                readonly method_default: "auto" | "welch_t" | "ratio_delta" | "two_proportion_z" | "fisher_exact" | "permutation" | "mann_whitney_u" | "cluster_quantile" | "cluster_bootstrap" | "ppi_z";
                readonly metric_version: number;
                readonly name: string;
                /** @description Only for kind quantile: which one, between 0 and 1; default 0.95. */
                readonly quantile?: number;
                /** @enum {string} */
                readonly role?: "primary" | "guardrail" | "secondary";
                readonly shared_org_wide: boolean;
                readonly source?: {
                    /** @constant */
                    readonly event: "model_call";
                    /** @enum {string} */
                    readonly field: "latency_ms" | "time_to_first_token_ms" | "input_tokens" | "output_tokens" | "cost_usd" | "error";
                } | {
                    readonly business_metric: string;
                    /** @constant */
                    readonly event: "business_event";
                } | {
                    /** @constant */
                    readonly event: "judge";
                };
                /** @description Smallest effect worth finding, relative to control's value: planning and days to go aim at it; default 0.05. */
                readonly target_effect?: number;
                readonly window_days?: number | null;
            }[];
            /** @description Unique in the org. */
            readonly name: string;
            /** @description Frozen at creation. */
            readonly salt: string;
            /** @enum {string} */
            readonly status?: "draft" | "running" | "stopped";
            /**
             * Format: date-time
             * @description RFC 3339 in UTC with milliseconds.
             */
            readonly updated_at: string;
            /** @description Absent: made from the allocation. */
            readonly variants?: readonly {
                readonly description?: string | null;
                /** @description false: its users get null (control behaviour) and nobody else gets its buckets. */
                readonly enabled?: boolean;
                readonly key: string;
                readonly prompt?: string | null;
                readonly variables?: {
                    readonly [key: string]: unknown;
                } | null;
            }[];
            readonly version: number;
        };
        readonly ExperimentChange: {
            readonly allocation?: readonly {
                readonly variant: string;
                /** @description Relative: 1/1, 50/50 and 0.5/0.5 are the same. */
                readonly weight: number;
            }[];
            /** @description Frozen at creation. */
            readonly bucket_count?: number;
            /** @description Default: "control" if there is one, else the first allocated. */
            readonly control?: string;
            /** @description Share of all buckets that the experiment takes; default 1. */
            readonly coverage?: number;
            readonly created_at?: unknown;
            /** @description Only for status stopped; an experiment that runs again has none. */
            readonly decision?: {
                readonly note?: string | null;
                /** @enum {string} */
                readonly outcome: "won" | "lost" | "inconclusive" | "invalid";
                readonly variant?: string | null;
            } | null;
            readonly description?: string | null;
            readonly effective_allocation?: unknown;
            readonly hypothesis?: string | null;
            readonly id?: unknown;
            readonly is_demo?: unknown;
            readonly metrics?: readonly {
                /** @description Only for kind mean: a user's value counts as this at most; "p99.9": as the 99.9 % quantile over the users of all arms together. */
                readonly cap?: number | "p99.9" | null;
                /** @enum {string} */
                readonly category: "latency" | "cost" | "reliability" | "business" | "quality";
                readonly description?: string | null;
                /** @enum {string} */
                readonly desired?: "increase" | "decrease";
                /** @description Only where a judge is the source. Null there: nothing is judged. */
                readonly judge?: {
                    /** @description What makes an answer good. A change of it, or of the scale, starts a new version of the metric. */
                    readonly rubric: string;
                    /** @description Share of the calls to be judged, as far as the plan's allowance goes; default 0.1. */
                    readonly sample_rate?: number;
                    /**
                     * @description pass_fail: 1 or 0; 1-5: whole points; 0-1: any number; default pass_fail.
                     * @enum {string}
                     */
                    readonly scale?: "pass_fail" | "1-5" | "0-1";
                } | null;
                /** @enum {string} */
                readonly kind: "binary" | "mean" | "ratio" | "quantile" | "ordinal";
                readonly margin?: number | null;
                readonly method?: ("auto" | "welch_t" | "ratio_delta" | "two_proportion_z" | "fisher_exact" | "permutation" | "mann_whitney_u" | "cluster_quantile" | "cluster_bootstrap" | "ppi_z") | null;
                /** @enum {string} */
                readonly method_default: "auto" | "welch_t" | "ratio_delta" | "two_proportion_z" | "fisher_exact" | "permutation" | "mann_whitney_u" | "cluster_quantile" | "cluster_bootstrap" | "ppi_z";
                readonly metric_version: number;
                readonly name: string;
                /** @description Only for kind quantile: which one, between 0 and 1; default 0.95. */
                readonly quantile?: number;
                /** @enum {string} */
                readonly role?: "primary" | "guardrail" | "secondary";
                readonly shared_org_wide: boolean;
                readonly source?: {
                    /** @constant */
                    readonly event: "model_call";
                    /** @enum {string} */
                    readonly field: "latency_ms" | "time_to_first_token_ms" | "input_tokens" | "output_tokens" | "cost_usd" | "error";
                } | {
                    readonly business_metric: string;
                    /** @constant */
                    readonly event: "business_event";
                } | {
                    /** @constant */
                    readonly event: "judge";
                };
                /** @description Smallest effect worth finding, relative to control's value: planning and days to go aim at it; default 0.05. */
                readonly target_effect?: number;
                readonly window_days?: number | null;
            }[];
            /** @description Unique in the org. */
            readonly name?: string;
            /** @description Frozen at creation. */
            readonly salt?: string;
            /** @enum {string} */
            readonly status?: "draft" | "running" | "stopped";
            readonly updated_at?: unknown;
            /** @description Absent: made from the allocation. */
            readonly variants?: readonly {
                readonly description?: string | null;
                /** @description false: its users get null (control behaviour) and nobody else gets its buckets. */
                readonly enabled?: boolean;
                readonly key: string;
                readonly prompt?: string | null;
                readonly variables?: {
                    readonly [key: string]: unknown;
                } | null;
            }[];
            readonly version?: unknown;
        };
        readonly ExperimentConfig: {
            readonly allocation: readonly {
                readonly variant: string;
                /** @description Relative: 1/1, 50/50 and 0.5/0.5 are the same. */
                readonly weight: number;
            }[];
            /** @description Frozen at creation. */
            readonly bucket_count: number;
            /** @description Default: "control" if there is one, else the first allocated. */
            readonly control?: string;
            /** @description Share of all buckets that the experiment takes; default 1. */
            readonly coverage?: number;
            /** @description Only for status stopped; an experiment that runs again has none. */
            readonly decision?: {
                readonly note?: string | null;
                /** @enum {string} */
                readonly outcome: "won" | "lost" | "inconclusive" | "invalid";
                readonly variant?: string | null;
            } | null;
            readonly description?: string | null;
            readonly hypothesis?: string | null;
            readonly metrics: readonly {
                /** @description Only for kind mean: a user's value counts as this at most; "p99.9": as the 99.9 % quantile over the users of all arms together. */
                readonly cap?: number | "p99.9" | null;
                /** @enum {string} */
                readonly category: "latency" | "cost" | "reliability" | "business" | "quality";
                readonly description?: string | null;
                /** @enum {string} */
                readonly desired?: "increase" | "decrease";
                /** @description Only where a judge is the source. Null there: nothing is judged. */
                readonly judge?: {
                    /** @description What makes an answer good. A change of it, or of the scale, starts a new version of the metric. */
                    readonly rubric: string;
                    /** @description Share of the calls to be judged, as far as the plan's allowance goes; default 0.1. */
                    readonly sample_rate?: number;
                    /**
                     * @description pass_fail: 1 or 0; 1-5: whole points; 0-1: any number; default pass_fail.
                     * @enum {string}
                     */
                    readonly scale?: "pass_fail" | "1-5" | "0-1";
                } | null;
                /** @enum {string} */
                readonly kind: "binary" | "mean" | "ratio" | "quantile" | "ordinal";
                readonly margin?: number | null;
                readonly method?: ("auto" | "welch_t" | "ratio_delta" | "two_proportion_z" | "fisher_exact" | "permutation" | "mann_whitney_u" | "cluster_quantile" | "cluster_bootstrap" | "ppi_z") | null;
                /** @enum {string} */
                readonly method_default: "auto" | "welch_t" | "ratio_delta" | "two_proportion_z" | "fisher_exact" | "permutation" | "mann_whitney_u" | "cluster_quantile" | "cluster_bootstrap" | "ppi_z";
                readonly metric_version: number;
                readonly name: string;
                /** @description Only for kind quantile: which one, between 0 and 1; default 0.95. */
                readonly quantile?: number;
                /** @enum {string} */
                readonly role?: "primary" | "guardrail" | "secondary";
                readonly shared_org_wide: boolean;
                readonly source?: {
                    /** @constant */
                    readonly event: "model_call";
                    /** @enum {string} */
                    readonly field: "latency_ms" | "time_to_first_token_ms" | "input_tokens" | "output_tokens" | "cost_usd" | "error";
                } | {
                    readonly business_metric: string;
                    /** @constant */
                    readonly event: "business_event";
                } | {
                    /** @constant */
                    readonly event: "judge";
                };
                /** @description Smallest effect worth finding, relative to control's value: planning and days to go aim at it; default 0.05. */
                readonly target_effect?: number;
                readonly window_days?: number | null;
            }[];
            /** @description Unique in the org. */
            readonly name: string;
            /** @description Frozen at creation. */
            readonly salt: string;
            /** @enum {string} */
            readonly status?: "draft" | "running" | "stopped";
            /** @description Absent: made from the allocation. */
            readonly variants?: readonly {
                readonly description?: string | null;
                /** @description false: its users get null (control behaviour) and nobody else gets its buckets. */
                readonly enabled?: boolean;
                readonly key: string;
                readonly prompt?: string | null;
                readonly variables?: {
                    readonly [key: string]: unknown;
                } | null;
            }[];
        };
        readonly ExperimentHealth: {
            /**
             * Format: date-time
             * @description RFC 3339 in UTC with milliseconds.
             */
            readonly as_of: string;
            /** @description Judged as of now: every check, always in the same order, those that are fine too; judge-* only where a metric is judged. */
            readonly checks: readonly components["schemas"]["HealthCheck"][];
            readonly computed_for: string | null;
            /**
             * Format: uuid
             * @description UUIDv7, lower case.
             */
            readonly experiment_id: string;
            /** @description Those of the run computed last. */
            readonly remarks: readonly components["schemas"]["HealthEntry"][];
        };
        readonly ExperimentOverview: {
            readonly control: string;
            /**
             * Format: date-time
             * @description RFC 3339 in UTC with milliseconds.
             */
            readonly created_at: string;
            readonly created_by: {
                /**
                 * Format: uuid
                 * @description UUIDv7, lower case.
                 */
                readonly id: string;
                readonly name: string;
            } | null;
            readonly decision: {
                /** @enum {string} */
                readonly outcome: "won" | "lost" | "inconclusive" | "invalid";
                readonly variant: string | null;
            } | null;
            readonly exposures: number;
            /** @description Guardrails whose verdict is worse. */
            readonly failing_guardrails: readonly {
                readonly metric: string;
                readonly treatment: string;
            }[];
            /**
             * Format: uuid
             * @description UUIDv7, lower case.
             */
            readonly id: string;
            /** @description The demo experiment: DELETE /v1/demo removes it. */
            readonly is_demo: boolean;
            /** @description Running, and the last exposure or the last analysis (a night that found too little to store counts) is older than two days. */
            readonly is_stale: boolean;
            /** @description UTC day of the newest exposure. */
            readonly last_exposure_on: string | null;
            readonly last_night: {
                readonly day: string;
                readonly detail: string | null;
                readonly finished_at: string | null;
                /** @enum {string} */
                readonly outcome: "computed" | "withheld" | "collecting" | "failed" | "running";
            } | null;
            readonly last_run: {
                /**
                 * Format: date-time
                 * @description RFC 3339 in UTC with milliseconds.
                 */
                readonly computed_at: string;
                readonly computed_for: string;
                readonly preliminary: boolean;
                /** @enum {string} */
                readonly srm_status: "passed" | "halted";
            } | null;
            readonly name: string;
            /** @description Somebody should act: a cause to find, or a decision. */
            readonly needs_attention: boolean;
            /** @description Of the primary metrics (of all but guardrails when none is primary) the row with the smallest p-value. */
            readonly primary: {
                /** @description See ci_low. */
                readonly ci_high: number | null;
                /** @description 95 % interval of effect, as p_value looked at once. Null: the test gives none. */
                readonly ci_low: number | null;
                /** @enum {string} */
                readonly desired: "increase" | "decrease";
                /** @description Treatment minus control, in the metric's unit. */
                readonly effect: number;
                readonly metric: string;
                /** @description Benjamini-Hochberg over every row of the run; decides at < 0.05. */
                readonly p_value_fdr: number;
                /** @description See relative_ci_low. */
                readonly relative_ci_high: number | null;
                /** @description 95 % interval of relative_effect (Fieller). Null: unbounded. */
                readonly relative_ci_low: number | null;
                /** @description effect / control_value: 0.1 is +10 %. Null: control is not above 0, or the metric has no relative effect. */
                readonly relative_effect: number | null;
                /** @description p_value_fdr < 0.05. */
                readonly significant: boolean;
                readonly treatment: string;
                /** @enum {string} */
                readonly verdict: "better" | "worse" | "inconclusive";
            } | null;
            /** @description How far the decision is: users so far of those that the target effect needs, for the primary metric furthest behind, or for the one that wins. Null: not known yet. */
            readonly progress: {
                /** @description Null: not known. */
                readonly days_to_go: number | null;
                readonly share: number;
            } | null;
            /** @enum {string} */
            readonly state: "draft" | "no-traffic" | "collecting" | "failed" | "withheld" | "guardrail-failing" | "running" | "winning" | "losing" | "ready-to-decide" | "no-difference" | "stopped" | "stopped-won" | "stopped-lost" | "stopped-inconclusive" | "stopped-invalid";
            /** @enum {string} */
            readonly status: "draft" | "running" | "stopped";
            /** @description Of the run computed last. */
            readonly tradeoffs: readonly components["schemas"]["Tradeoff"][];
            /**
             * Format: date-time
             * @description RFC 3339 in UTC with milliseconds.
             */
            readonly updated_at: string;
            /** @description Exposed users by variant, test users included; one who was exposed to several variants counts in each. */
            readonly users: {
                readonly [key: string]: number;
            };
            /** @description Keys, as configured. */
            readonly variants: readonly string[];
            readonly version: number;
            readonly worst_remark: ("info" | "warning" | "critical") | null;
        };
        readonly ExperimentPlan: {
            readonly alpha: number;
            /** @description alpha / (metrics × treatments of the experiment) (Bonferroni): cautious, for the correction of results (Benjamini-Hochberg) asks that much only of a lone effect. */
            readonly alpha_corrected: number;
            /**
             * Format: uuid
             * @description UUIDv7, lower case.
             */
            readonly experiment_id: string;
            readonly notes: readonly string[];
            readonly power: number;
            readonly rows: readonly components["schemas"]["PlanRow"][];
            /** @description Each arm's share of the users in the experiment, from its bucket map as it is now. */
            readonly shares: {
                readonly [key: string]: number;
            };
            readonly users_per_day: {
                /**
                 * @description request: as sent; history: from the org's events of the last 14 days.
                 * @enum {string}
                 */
                readonly source: "request" | "history";
                readonly value: number;
            } | null;
            readonly version: number;
        };
        readonly ExperimentVersion: {
            readonly allocation: readonly {
                readonly variant: string;
                /** @description Relative: 1/1, 50/50 and 0.5/0.5 are the same. */
                readonly weight: number;
            }[];
            /** @description Frozen at creation. */
            readonly bucket_count: number;
            /** @description Default: "control" if there is one, else the first allocated. */
            readonly control?: string;
            /** @description Share of all buckets that the experiment takes; default 1. */
            readonly coverage?: number;
            /**
             * Format: date-time
             * @description RFC 3339 in UTC with milliseconds.
             */
            readonly created_at: string;
            readonly created_by: string | null;
            /** @description Only for status stopped; an experiment that runs again has none. */
            readonly decision?: {
                readonly note?: string | null;
                /** @enum {string} */
                readonly outcome: "won" | "lost" | "inconclusive" | "invalid";
                readonly variant?: string | null;
            } | null;
            readonly description?: string | null;
            /** @description Each variant's real share of all buckets. */
            readonly effective_allocation: {
                readonly [key: string]: number;
            };
            readonly hypothesis?: string | null;
            /**
             * Format: uuid
             * @description UUIDv7, lower case.
             */
            readonly id: string;
            /** @description The demo experiment: DELETE /v1/demo removes it. */
            readonly is_demo: boolean;
            readonly metrics: readonly {
                /** @description Only for kind mean: a user's value counts as this at most; "p99.9": as the 99.9 % quantile over the users of all arms together. */
                readonly cap?: number | "p99.9" | null;
                /** @enum {string} */
                readonly category: "latency" | "cost" | "reliability" | "business" | "quality";
                readonly description?: string | null;
                /** @enum {string} */
                readonly desired?: "increase" | "decrease";
                /** @description Only where a judge is the source. Null there: nothing is judged. */
                readonly judge?: {
                    /** @description What makes an answer good. A change of it, or of the scale, starts a new version of the metric. */
                    readonly rubric: string;
                    /** @description Share of the calls to be judged, as far as the plan's allowance goes; default 0.1. */
                    readonly sample_rate?: number;
                    /**
                     * @description pass_fail: 1 or 0; 1-5: whole points; 0-1: any number; default pass_fail.
                     * @enum {string}
                     */
                    readonly scale?: "pass_fail" | "1-5" | "0-1";
                } | null;
                /** @enum {string} */
                readonly kind: "binary" | "mean" | "ratio" | "quantile" | "ordinal";
                readonly margin?: number | null;
                readonly method?: ("auto" | "welch_t" | "ratio_delta" | "two_proportion_z" | "fisher_exact" | "permutation" | "mann_whitney_u" | "cluster_quantile" | "cluster_bootstrap" | "ppi_z") | null;
                /** @enum {string} */
                readonly method_default: "auto" | "welch_t" | "ratio_delta" | "two_proportion_z" | "fisher_exact" | "permutation" | "mann_whitney_u" | "cluster_quantile" | "cluster_bootstrap" | "ppi_z";
                readonly metric_version: number;
                readonly name: string;
                /** @description Only for kind quantile: which one, between 0 and 1; default 0.95. */
                readonly quantile?: number;
                /** @enum {string} */
                readonly role?: "primary" | "guardrail" | "secondary";
                readonly shared_org_wide: boolean;
                readonly source?: {
                    /** @constant */
                    readonly event: "model_call";
                    /** @enum {string} */
                    readonly field: "latency_ms" | "time_to_first_token_ms" | "input_tokens" | "output_tokens" | "cost_usd" | "error";
                } | {
                    readonly business_metric: string;
                    /** @constant */
                    readonly event: "business_event";
                } | {
                    /** @constant */
                    readonly event: "judge";
                };
                /** @description Smallest effect worth finding, relative to control's value: planning and days to go aim at it; default 0.05. */
                readonly target_effect?: number;
                readonly window_days?: number | null;
            }[];
            /** @description Unique in the org. */
            readonly name: string;
            /** @description Frozen at creation. */
            readonly salt: string;
            /** @enum {string} */
            readonly status?: "draft" | "running" | "stopped";
            /**
             * Format: date-time
             * @description RFC 3339 in UTC with milliseconds.
             */
            readonly updated_at: string;
            /** @description Absent: made from the allocation. */
            readonly variants?: readonly {
                readonly description?: string | null;
                /** @description false: its users get null (control behaviour) and nobody else gets its buckets. */
                readonly enabled?: boolean;
                readonly key: string;
                readonly prompt?: string | null;
                readonly variables?: {
                    readonly [key: string]: unknown;
                } | null;
            }[];
            readonly version: number;
        };
        readonly Feedback: {
            /**
             * Format: date-time
             * @description RFC 3339 in UTC with milliseconds.
             */
            readonly at: string;
            readonly author: {
                readonly email: string;
                readonly id: string;
                readonly name: string;
            };
            /** @enum {string} */
            readonly category: "bug" | "idea" | "question" | "other";
            /**
             * Format: uuid
             * @description UUIDv7, lower case.
             */
            readonly id: string;
            readonly message: string;
            readonly page: string | null;
        };
        readonly FeedbackPage: {
            readonly items: readonly components["schemas"]["Feedback"][];
            readonly next_cursor: string | null;
        };
        readonly FeedbackRequest: {
            /** @enum {string} */
            readonly category: "bug" | "idea" | "question" | "other";
            readonly message: string;
            readonly page?: string;
        };
        readonly HealthCheck: {
            readonly action: string | null;
            readonly arms: {
                readonly [key: string]: {
                    /** @description Events, users or tokens. */
                    readonly count: number;
                    readonly of: number;
                    /** @description count / of; null when of is 0. */
                    readonly share: number | null;
                };
            };
            /** @enum {string} */
            readonly code: "srm" | "srm-without-test-events" | "missing-usage" | "unpriced-calls" | "error-rate" | "truncated-answers" | "other-model" | "cache-hit-gap" | "users-in-several-variants" | "late-events" | "future-events" | "variant-conflicts" | "test-events" | "judge-backlog" | "judge-failures" | "judge-agreement" | "judge-bias" | "judge-length";
            /** @description One sentence with the numbers. */
            readonly detail: string;
            /**
             * @description What value and threshold are. share: of the worst arm (users-in-several-variants: of all users); gap: the difference of an arm's share from control's.
             * @enum {string}
             */
            readonly measure: "share" | "gap" | "p_value" | "count";
            /**
             * @description ok: fine; info: something was found, too little to alarm; no-data: nothing to judge yet.
             * @enum {string}
             */
            readonly severity: "ok" | "info" | "warning" | "critical" | "no-data";
            /** @description When the first event with the fault occurred; null: none, or not about single events. */
            readonly since: string | null;
            /** @description The alarm: a share, gap or count from here on, a p-value below it. */
            readonly threshold: number;
            /** @description Null without data. */
            readonly value: number | null;
        };
        readonly HealthEntry: {
            readonly code: string;
            readonly detail: string;
            /** @enum {string} */
            readonly severity: "info" | "warning" | "critical";
        };
        readonly HostedUrl: {
            /** @description A page of the billing provider. */
            readonly url: string;
        };
        readonly ImportBody: {
            readonly events: readonly components["schemas"]["Event"][];
        } | readonly components["schemas"]["Event"][];
        readonly ImportError: {
            readonly detail: string;
            readonly event_id?: string;
            /** @description Line of the submitted payload on which the row starts, from 1. */
            readonly line: number;
        };
        readonly ImportResult: {
            readonly dry_run: boolean;
            /** @description All rows that are not accepted. */
            readonly error_count: number;
            /** @description Rows that are not accepted, by ascending line: the first 1,000. */
            readonly errors: readonly components["schemas"]["ImportError"][];
            /** @description Rows that are accepted and on disk; in a dry run, that would be. */
            readonly events: number;
            /** @description events + error_count. */
            readonly rows: number;
            /** @description Columns of a CSV header that are no field of an event: they were passed over. */
            readonly unknown_columns?: readonly string[];
        };
        readonly InboxContact: {
            /**
             * Format: date-time
             * @description RFC 3339 in UTC with milliseconds.
             */
            readonly at: string;
            readonly company: string | null;
            readonly email: string;
            /**
             * Format: uuid
             * @description UUIDv7, lower case.
             */
            readonly id: string;
            /** @enum {string} */
            readonly kind: "contact";
            readonly message: string;
            readonly name: string;
        };
        readonly InboxFeedback: {
            /**
             * Format: date-time
             * @description RFC 3339 in UTC with milliseconds.
             */
            readonly at: string;
            readonly author: {
                readonly email: string;
                readonly id: string;
                readonly name: string;
            };
            /** @enum {string} */
            readonly category: "bug" | "idea" | "question" | "other";
            /**
             * Format: uuid
             * @description UUIDv7, lower case.
             */
            readonly id: string;
            /** @enum {string} */
            readonly kind: "feedback";
            readonly message: string;
            /**
             * Format: uuid
             * @description UUIDv7, lower case.
             */
            readonly org_id: string;
            readonly org_name: string;
            readonly page: string | null;
        };
        readonly InboxPage: {
            readonly items: readonly (components["schemas"]["InboxContact"] | components["schemas"]["InboxFeedback"])[];
            readonly next_cursor: string | null;
        };
        readonly IngestAck: {
            readonly accepted: number;
            readonly config_version: number;
            readonly rejected: readonly {
                readonly detail: string;
                readonly event_id: string | null;
                readonly index: number;
            }[];
        };
        readonly Invitation: {
            readonly email: string;
            /**
             * Format: date-time
             * @description RFC 3339 in UTC with milliseconds.
             */
            readonly expires_at: string;
            /**
             * Format: uuid
             * @description UUIDv7, lower case.
             */
            readonly id: string;
            /** @enum {string} */
            readonly role: "member" | "admin" | "owner";
            readonly url: string;
        };
        readonly InvitationPage: {
            readonly items: readonly components["schemas"]["PendingInvitation"][];
            readonly next_cursor: string | null;
        };
        readonly InvitationRequest: {
            readonly email: string;
            readonly name?: string;
            /**
             * @description Default: member; of somebody who is a member already, their role.
             * @enum {string}
             */
            readonly role?: "member" | "admin" | "owner";
        };
        readonly JudgedMetric: {
            readonly agreement: {
                /** @description See ci_low. */
                readonly ci_high: number | null;
                /** @description 95 % interval of kappa. */
                readonly ci_low: number | null;
                /** @description Cohen's; quadratically weighted on the scale 1-5, of pass and fail (from 0.5 on) on 0-1. Null: too few labels, or all in one category. */
                readonly kappa: number | null;
                /** @description Labels with a score. */
                readonly labels: number;
            } | null;
            readonly arms: {
                readonly [key: string]: {
                    readonly failed: number;
                    readonly labels: number;
                    readonly pending: number;
                    readonly scored: number;
                };
            };
            /** @description Judgements to be made, second ones among them. */
            readonly backlog: number;
            /** @description US dollars, by the org's prices. */
            readonly cost_usd: number;
            readonly cost_usd_today: number;
            /** @description The state in a sentence, with what to do. */
            readonly detail: string;
            readonly evaluations: number;
            /** @description Since midnight UTC. */
            readonly evaluations_today: number;
            /**
             * Format: uuid
             * @description UUIDv7, lower case.
             */
            readonly experiment_id: string;
            readonly experiment_name: string;
            /** @description Of the judgements made. Null: none was. */
            readonly failed_share: number | null;
            readonly failures: readonly {
                /** @enum {string} */
                readonly cause: "refused" | "malformed-answer" | "text-expired" | "rejected" | "rate-limited" | "timed-out" | "server-error" | "unreachable" | "superseded";
                readonly count: number;
            }[];
            readonly first_day: string | null;
            readonly is_demo: boolean;
            readonly judge: {
                /** @description What makes an answer good. A change of it, or of the scale, starts a new version of the metric. */
                readonly rubric: string;
                /** @description Share of the calls to be judged, as far as the plan's allowance goes; default 0.1. */
                readonly sample_rate?: number;
                /**
                 * @description pass_fail: 1 or 0; 1-5: whole points; 0-1: any number; default pass_fail.
                 * @enum {string}
                 */
                readonly scale?: "pass_fail" | "1-5" | "0-1";
            } | null;
            /** @description Model and fingerprint of rubric, scale and protocol. Null: nothing was drawn yet. */
            readonly judge_version: string | null;
            readonly last_day: string | null;
            readonly last_labelled_at: string | null;
            readonly metric: string;
            readonly metric_version: number;
            /** @description When the oldest of them was drawn. */
            readonly oldest_pending_at: string | null;
            /** @enum {string} */
            readonly state: "judging" | "not-configured" | "locked" | "allowance-used" | "no-rubric" | "not-running" | "judge-failing";
            /** @description Judgements that cost something nobody has a price of. */
            readonly unpriced: number;
        };
        readonly JudgeMark: {
            /** @description true: people's labels correct the row (PPI++). false: it is the judge's opinion. */
            readonly calibrated: boolean;
            /** @description Judged calls. */
            readonly judged_per_arm: {
                readonly [key: string]: number;
            };
            /** @description Judged calls that a person was shown at random and scored. */
            readonly labels_per_arm: {
                readonly [key: string]: number;
            };
            /** @description How much weight the judge's scores have beside the labels, 0 to 1. Null: not calibrated. */
            readonly lambda: {
                readonly [key: string]: number;
            } | null;
            /** @description The largest. */
            readonly probability_high: number;
            /** @description Smallest probability with which a judged call was drawn. */
            readonly probability_low: number;
            /** @description Standard deviation between two judgements of the same answer. Null: fewer than two were judged twice. */
            readonly retest_sd: number | null;
            /** @enum {string} */
            readonly scale: "pass_fail" | "1-5" | "0-1";
            /** @description What the judge alone says. Null: that is what the row says. */
            readonly uncalibrated: {
                /** @description See ci_low. */
                readonly ci_high: number | null;
                /** @description 95 % interval of effect. */
                readonly ci_low: number | null;
                readonly control_value: number;
                readonly effect: number;
                readonly p_value: number;
                readonly test: string;
                readonly treatment_value: number;
            } | null;
            /** @description Model and fingerprint of rubric, scale and protocol. */
            readonly version: string;
        };
        readonly Judgement: {
            readonly attempts: number;
            /** @description Why the last attempt brought no score. */
            readonly cause: ("refused" | "malformed-answer" | "text-expired" | "rejected" | "rate-limited" | "timed-out" | "server-error" | "unreachable" | "superseded") | null;
            /** @description US dollars. Null: nothing was spent, or the model has no price. */
            readonly cost_usd: number | null;
            readonly detail: string | null;
            readonly event_id: string;
            readonly input_tokens: number;
            /** @description The second judgement of the call. */
            readonly is_repeat: boolean;
            readonly judge_version: string;
            readonly judged_at: string | null;
            /** @description A person's score of the same call. */
            readonly label: number | null;
            readonly metric: string;
            readonly metric_version: number;
            /**
             * Format: date-time
             * @description RFC 3339 in UTC with milliseconds.
             */
            readonly occurred_at: string;
            readonly output_tokens: number;
            /** @description With which the call was drawn: it counts 1 / probability times. */
            readonly probability: number;
            readonly reason: string | null;
            readonly score: number | null;
            /** @enum {string} */
            readonly state: "pending" | "scored" | "failed";
            readonly user_id: string;
            readonly variant: string;
        };
        readonly JudgementPage: {
            readonly items: readonly components["schemas"]["Judgement"][];
            readonly next_cursor: string | null;
        };
        readonly JudgesOverview: {
            readonly backlog: number;
            readonly cost_usd_today: number;
            readonly evaluations: {
                /** @description Null: no bound. */
                readonly allowance: number | null;
                /** @description Over the last five minutes, of this process. */
                readonly per_minute: number;
                readonly today: number;
                /** @description This UTC month. */
                readonly used: number;
            };
            /** @description Why the judge's endpoint gives no scores at all at the moment. */
            readonly fault: {
                readonly detail: string;
                /**
                 * Format: date-time
                 * @description RFC 3339 in UTC with milliseconds.
                 */
                readonly since: string;
            } | null;
            /** @description Whether ASSAY_JUDGE_URL and ASSAY_JUDGE_MODEL are set. */
            readonly is_configured: boolean;
            /** @description Metrics that a judge scores, of every experiment that is no draft. */
            readonly items: readonly components["schemas"]["JudgedMetric"][];
            /** @description Why the plan allows no judge evaluations; null: it does. */
            readonly lock: string | null;
            readonly model: string | null;
        };
        readonly KeyRequest: {
            /** @enum {string} */
            readonly scope: "publishable" | "secret";
        };
        readonly KeySummary: {
            /**
             * Format: date-time
             * @description RFC 3339 in UTC with milliseconds.
             */
            readonly created_at: string;
            /** @description A minute behind at most. Null: not used since it was made, or since this is kept. */
            readonly last_used_at: string | null;
            /** @description The key's first characters, enough to tell it from others. Null: not revealable. */
            readonly prefix: string | null;
            readonly revealable: boolean;
            /** @enum {string} */
            readonly scope: "publishable" | "secret";
        };
        readonly Label: {
            readonly event_id: string;
            /** @description The call was shown at random: such labels correct the judge. Others only show how far it agrees. */
            readonly is_drawn: boolean;
            /**
             * Format: date-time
             * @description RFC 3339 in UTC with milliseconds.
             */
            readonly labelled_at: string;
            readonly labelled_by: {
                readonly id: string;
                readonly name: string;
            };
            readonly metric: string;
            readonly metric_version: number;
            readonly note: string | null;
            /** @description Null: the person could not tell. */
            readonly score: number | null;
        };
        readonly LabelPage: {
            readonly items: readonly components["schemas"]["ComparedLabel"][];
            readonly next_cursor: string | null;
        };
        readonly LabelQueue: {
            /** @description Judged calls that nobody has labelled, arms mixed; neither variant nor score is told. */
            readonly items: readonly {
                /** @description Null: the model call failed, and the user got no answer. */
                readonly answer: string | null;
                readonly event_id: string;
                /** @description What the user asked, without the variant's prompt. Null: it cannot be told apart. */
                readonly input: string | null;
            }[];
            readonly judge: {
                /** @description What makes an answer good. A change of it, or of the scale, starts a new version of the metric. */
                readonly rubric: string;
                /** @description Share of the calls to be judged, as far as the plan's allowance goes; default 0.1. */
                readonly sample_rate?: number;
                /**
                 * @description pass_fail: 1 or 0; 1-5: whole points; 0-1: any number; default pass_fail.
                 * @enum {string}
                 */
                readonly scale?: "pass_fail" | "1-5" | "0-1";
            };
            /** @description Labels that correct the judge, of the arm that has the fewest. */
            readonly labelled: number;
            readonly metric: string;
            readonly metric_version: number;
            /** @description Of each arm, before effects are calibrated. */
            readonly needed: number;
            /** @description Judged calls that nobody has labelled: of each arm, no more than 200 are counted. */
            readonly waiting: number;
        };
        readonly LabelRequest: {
            /** @description Of a call that the judge has scored. */
            readonly event_id: string;
            readonly metric: string;
            readonly note?: string | null;
            /** @description On the judge's scale; null: one cannot tell, and the call is not shown again. */
            readonly score: number | null;
        };
        readonly LiveStats: {
            /**
             * Format: date-time
             * @description RFC 3339 in UTC with milliseconds.
             */
            readonly as_of: string;
            /** @description By metric, then by arm. */
            readonly distributions: {
                readonly [key: string]: {
                    readonly [key: string]: components["schemas"]["Distribution"];
                };
            };
            /** @description By metric, then by arm: events that gave the metric a value; for kind binary every exposed user is one. */
            readonly evaluated_events: {
                readonly [key: string]: {
                    readonly [key: string]: number;
                };
            };
            /**
             * Format: uuid
             * @description UUIDv7, lower case.
             */
            readonly experiment_id: string;
            readonly exposures: {
                readonly [key: string]: number;
            };
            /** @description The last 60 minutes, oldest first; a minute without exposures is absent. */
            readonly exposures_by_minute: readonly {
                readonly exposures: {
                    readonly [key: string]: number;
                };
                /**
                 * Format: date-time
                 * @description RFC 3339 in UTC with milliseconds.
                 */
                readonly minute: string;
            }[];
            readonly note: string;
            readonly users: {
                readonly [key: string]: number;
            };
        };
        /** @description `joined_at` is null for somebody who has not been here yet. */
        readonly Member: {
            /**
             * Format: date-time
             * @description RFC 3339 in UTC with milliseconds.
             */
            readonly created_at: string;
            readonly email: string;
            readonly joined_at: string | null;
            readonly name: string;
            /** @enum {string} */
            readonly role: "member" | "admin" | "owner";
            /**
             * Format: uuid
             * @description UUIDv7, lower case.
             */
            readonly user_id: string;
        };
        readonly MemberPage: {
            readonly items: readonly components["schemas"]["Member"][];
            readonly next_cursor: string | null;
        };
        readonly MemberRequest: {
            /** @enum {string} */
            readonly role: "member" | "admin" | "owner";
        };
        readonly MetricCatalogue: {
            /** @description One entry per metric name, by name: the definition of the highest metric_version, of several the one changed last. */
            readonly items: readonly {
                readonly definition: {
                    /** @description Only for kind mean: a user's value counts as this at most; "p99.9": as the 99.9 % quantile over the users of all arms together. */
                    readonly cap?: number | "p99.9" | null;
                    /** @enum {string} */
                    readonly category: "latency" | "cost" | "reliability" | "business" | "quality";
                    readonly description?: string | null;
                    /** @enum {string} */
                    readonly desired?: "increase" | "decrease";
                    /** @description Only where a judge is the source. Null there: nothing is judged. */
                    readonly judge?: {
                        /** @description What makes an answer good. A change of it, or of the scale, starts a new version of the metric. */
                        readonly rubric: string;
                        /** @description Share of the calls to be judged, as far as the plan's allowance goes; default 0.1. */
                        readonly sample_rate?: number;
                        /**
                         * @description pass_fail: 1 or 0; 1-5: whole points; 0-1: any number; default pass_fail.
                         * @enum {string}
                         */
                        readonly scale?: "pass_fail" | "1-5" | "0-1";
                    } | null;
                    /** @enum {string} */
                    readonly kind: "binary" | "mean" | "ratio" | "quantile" | "ordinal";
                    readonly margin?: number | null;
                    readonly method?: ("auto" | "welch_t" | "ratio_delta" | "two_proportion_z" | "fisher_exact" | "permutation" | "mann_whitney_u" | "cluster_quantile" | "cluster_bootstrap" | "ppi_z") | null;
                    /** @enum {string} */
                    readonly method_default: "auto" | "welch_t" | "ratio_delta" | "two_proportion_z" | "fisher_exact" | "permutation" | "mann_whitney_u" | "cluster_quantile" | "cluster_bootstrap" | "ppi_z";
                    readonly metric_version: number;
                    readonly name: string;
                    /** @description Only for kind quantile: which one, between 0 and 1; default 0.95. */
                    readonly quantile?: number;
                    /** @enum {string} */
                    readonly role?: "primary" | "guardrail" | "secondary";
                    readonly shared_org_wide: boolean;
                    readonly source?: {
                        /** @constant */
                        readonly event: "model_call";
                        /** @enum {string} */
                        readonly field: "latency_ms" | "time_to_first_token_ms" | "input_tokens" | "output_tokens" | "cost_usd" | "error";
                    } | {
                        readonly business_metric: string;
                        /** @constant */
                        readonly event: "business_event";
                    } | {
                        /** @constant */
                        readonly event: "judge";
                    };
                    /** @description Smallest effect worth finding, relative to control's value: planning and days to go aim at it; default 0.05. */
                    readonly target_effect?: number;
                    readonly window_days?: number | null;
                };
                readonly used_by: readonly {
                    /**
                     * Format: uuid
                     * @description UUIDv7, lower case.
                     */
                    readonly id: string;
                    readonly metric_version: number;
                    readonly name: string;
                    /** @enum {string} */
                    readonly status: "draft" | "running" | "stopped";
                }[];
            }[];
        };
        readonly MetricResult: {
            /** @description See ci_low. */
            readonly ci_high: number | null;
            /** @description 95 % interval of effect, as p_value looked at once. Null: the test gives none. */
            readonly ci_low: number | null;
            /** @description See ci_selected_low. */
            readonly ci_selected_high: number | null;
            /** @description Interval of effect, wider than ci_low to ci_high, that keeps its 95 % on average over the significant rows of the run (Benjamini & Yekutieli 2005). Null: not significant, or no interval. */
            readonly ci_selected_low: number | null;
            /** @description See ci_seq_low. */
            readonly ci_seq_high: number | null;
            /** @description 95 % confidence sequence of effect: holds however often one looks. Null: the values have no spread. */
            readonly ci_seq_low: number | null;
            readonly control: string;
            /** @description In the metric's unit. */
            readonly control_value: number;
            /** @description Set: the values were adjusted for what the users did before their first exposure (CUPED). Null: they were not. */
            readonly cuped: components["schemas"]["CovariateAdjustment"] | null;
            /** @description How long the metric's target effect needs at the traffic so far. Null: unknown. */
            readonly days_to_go: components["schemas"]["DaysToGo"] | null;
            /** @enum {string} */
            readonly desired: "increase" | "decrease";
            /** @description Per arm: how the values are spread. */
            readonly distribution: {
                readonly [key: string]: components["schemas"]["Distribution"];
            };
            /** @description Treatment minus control, in the metric's unit. */
            readonly effect: number;
            /** @description Evaluated events: those that gave the metric a value; for kind binary every user is one, of a judged metric every judged call. */
            readonly events_per_arm: {
                readonly [key: string]: number;
            };
            /** @description Null: no judged metric. */
            readonly judge: components["schemas"]["JudgeMark"] | null;
            /** @description Smallest effect, in the metric's unit, that this much data finds with 80 % power at 5 %. Null as standard_error. */
            readonly mde: number | null;
            /** @description The same at 5 % divided by the number of rows of the run (Bonferroni): cautious. Null as standard_error. */
            readonly mde_corrected: number | null;
            readonly metric: string;
            readonly metric_version: number;
            /** @description Users analysed. */
            readonly n_per_arm: {
                readonly [key: string]: number;
            };
            /** @description Users who have the metric: more than n_per_arm when a sample was analysed or an allocation period was left out. */
            readonly n_total_per_arm: {
                readonly [key: string]: number;
            };
            /** @description Null: the metric has no margin. */
            readonly non_inferiority: components["schemas"]["NonInferiority"] | null;
            /** @description true: p_value is the smallest that so many permutations can give, the true one may be smaller; read it as ≤. */
            readonly p_floor: boolean;
            /** @description Two-sided, raw; never decides. */
            readonly p_value: number;
            /** @description Benjamini-Hochberg over every row of the run; decides at < 0.05. */
            readonly p_value_fdr: number;
            /** @description Always valid: holds however often one looks; the smallest over the nights so far. Null as ci_seq_low. */
            readonly p_value_seq: number | null;
            /** @description The always-valid p-value of this run alone, corrected over the run's rows (e-BH). Null as ci_seq_low. */
            readonly p_value_seq_fdr: number | null;
            /** @description Periods of constant allocation within which the arms were compared. */
            readonly periods: number;
            /** @description Those that define p_value; 0 for a closed form. */
            readonly permutations_used: number;
            /** @description true for manual runs. */
            readonly preliminary: boolean;
            /** @description See relative_ci_low. */
            readonly relative_ci_high: number | null;
            /** @description 95 % interval of relative_effect (Fieller). Null: unbounded. */
            readonly relative_ci_low: number | null;
            /** @description effect / control_value: 0.1 is +10 %. Null: control is not above 0, or the metric has no relative effect. */
            readonly relative_effect: number | null;
            /** @description true: the metric is younger than the raw events that have expired, so it lacks some. */
            readonly retention_truncated: boolean;
            /** @enum {string} */
            readonly role: "primary" | "guardrail" | "secondary";
            /** @description Users per arm at most, where a sample was analysed; 0: every user. */
            readonly sample_cap_used: number;
            /** @description Hodges-Lehmann shift of mann_whitney_u, in the metric's unit: the median of all differences between a treatment and a control user, not a difference of means. Null for other tests. */
            readonly shift: number | null;
            /** @description p_value_fdr < 0.05. */
            readonly significant: boolean;
            /** @description p-value of the run's gate on the traffic split. */
            readonly srm_p: number;
            /** @description Of effect, in the metric's unit. Null: the values have no spread. */
            readonly standard_error: number | null;
            /** @description The test's statistic; null when it has none. */
            readonly statistic: number | null;
            /** @description The test that ran. */
            readonly test: string;
            readonly treatment: string;
            /** @description In the metric's unit. */
            readonly treatment_value: number;
            /** @enum {string} */
            readonly verdict: "better" | "worse" | "inconclusive";
            /** @description From the first exposure to the cut-off. */
            readonly window_days: number;
        };
        readonly NightlyRun: {
            /** @description UTC day. */
            readonly day: string;
            /** @description Why, where there is more to say. */
            readonly detail: string | null;
            readonly finished_at: string | null;
            /** @enum {string} */
            readonly outcome: "computed" | "withheld" | "collecting" | "failed" | "running";
            /**
             * Format: date-time
             * @description RFC 3339 in UTC with milliseconds.
             */
            readonly started_at: string;
        };
        readonly NightlyRuns: {
            /**
             * Format: uuid
             * @description UUIDv7, lower case.
             */
            readonly experiment_id: string;
            /** @description Null: the experiment is a draft, the demo, or it was stopped too long ago to be analysed again. */
            readonly next_run_at: string | null;
            /** @description Newest first, at most 60. */
            readonly runs: readonly components["schemas"]["NightlyRun"][];
        };
        readonly NonInferiority: {
            /** @description worst_loss < margin: one-sided, at 2.5 %. */
            readonly is_not_worse: boolean;
            /** @description The same by the confidence sequence: holds however often one looks. */
            readonly is_not_worse_seq: boolean;
            /** @description Largest acceptable loss, in the metric's unit. */
            readonly margin: number;
            /** @description The largest loss that the 95 % interval of effect does not exclude; below 0: its worst end is a gain. Null: no interval. */
            readonly worst_loss: number | null;
        };
        readonly OrgPlan: {
            readonly next_plan: ("free" | "pro" | "business" | "enterprise") | null;
            readonly next_plan_at: string | null;
            /**
             * Format: uuid
             * @description UUIDv7, lower case.
             */
            readonly org_id: string;
            /**
             * @description The plan in force.
             * @enum {string}
             */
            readonly plan: "free" | "pro" | "business" | "enterprise";
            readonly plan_override: ("free" | "pro" | "business" | "enterprise") | null;
            /** @enum {string} */
            readonly subscription_plan: "free" | "pro" | "business" | "enterprise";
        };
        readonly Overview: {
            readonly items: readonly components["schemas"]["ExperimentOverview"][];
        };
        readonly PendingInvitation: {
            /**
             * Format: date-time
             * @description RFC 3339 in UTC with milliseconds.
             */
            readonly created_at: string;
            readonly email: string;
            /**
             * Format: date-time
             * @description RFC 3339 in UTC with milliseconds.
             */
            readonly expires_at: string;
            /**
             * Format: uuid
             * @description UUIDv7, lower case.
             */
            readonly id: string;
            readonly name: string;
            /** @enum {string} */
            readonly role: "member" | "admin" | "owner";
        };
        readonly PipelineRunReport: {
            readonly day: string;
            readonly runs: readonly {
                readonly detail: string | null;
                /**
                 * Format: uuid
                 * @description UUIDv7, lower case.
                 */
                readonly experiment_id: string;
                readonly name: string;
                /** @enum {string} */
                readonly outcome: "computed" | "withheld" | "collecting" | "failed" | "already-done" | "running-elsewhere";
            }[];
        };
        readonly PipelineRunRequest: {
            /** @description UTC day; default: yesterday, the last whole one. */
            readonly day?: string;
            /**
             * Format: uuid
             * @description UUIDv7, lower case.
             */
            readonly experiment_id?: string;
        };
        readonly PlanDetectableEffect: {
            /** @description In the metric's unit. */
            readonly absolute: number;
            /** @description As asked. */
            readonly days: number;
            /** @description Of the baseline's value. Null: that is 0. */
            readonly relative: number | null;
            /** @description Users of the two arms whose window_days are over by then. */
            readonly users: {
                readonly [key: string]: number;
            };
        };
        readonly PlanLimit: {
            readonly max_permutations: number;
            /** @description Users whose own values an analysis reads. */
            readonly max_sample_per_arm: number;
            readonly monthly_event_allowance: number | null;
            /** @enum {string} */
            readonly plan: "free" | "pro" | "business" | "enterprise";
            /** @description Days for which raw events are kept. */
            readonly retention_days: number;
        };
        readonly PlanNeeded: {
            /** @description Whole days until then, window_days included. Null: users per day are not known. */
            readonly days: number | null;
            /** @description Users of the two arms. At least 200 (kind binary) or 20: what a nightly row needs whatever the spread. */
            readonly users: {
                readonly [key: string]: number;
            };
            /** @description Users of all arms who must enter until both arms have theirs. */
            readonly users_total: number;
        };
        readonly PlanOverrideRequest: {
            readonly plan: ("free" | "pro" | "business" | "enterprise") | null;
        };
        readonly PlanRequest: {
            /** @description Two-sided level; default 0.05, at which results decide. */
            readonly alpha?: number;
            /** @description By metric name: what is known better than from history, or before there is any. */
            readonly baselines?: {
                readonly [key: string]: {
                    /** @description Standard deviation over users. Required, except for kind binary, where the share gives it and none may be sent. For a ratio: of the users' own averages, if they call about equally often. */
                    readonly sd?: number;
                    /** @description What control has, in the metric's unit: kind binary the share of users, ratio and quantile per call, the others per user. */
                    readonly value: number;
                };
            };
            /** @description How long the experiment is to run: mde answers for it; default 14. */
            readonly days?: number;
            /** @description Names; default: every metric of the experiment. */
            readonly metrics?: readonly string[];
            /** @description Share of true effects of the target size that are to be found; default 0.8. */
            readonly power?: number;
            /** @description Relative to control's value, for every metric; default: each metric's own target_effect. */
            readonly target_effect?: number;
            /** @description New users per day that enter the experiment, all arms together. Default: from history, the median of the org's new users over the last 7 full days times the experiment's coverage. */
            readonly users_per_day?: number;
        };
        readonly PlanRow: {
            /** @description Null: not known; notes say what to send. */
            readonly baseline: {
                /** @description Of one user: the standard error of an arm of n users is sd / √n. */
                readonly sd: number;
                /**
                 * @description request: as sent; history: from the org's events of the last 14 days.
                 * @enum {string}
                 */
                readonly source: "request" | "history";
                /** @description What control has, in the metric's unit: kind binary the share of users, ratio and quantile per call, the others per user. */
                readonly value: number;
            } | null;
            /** @description The smallest effect found with the power asked for after days. Null: users per day or the baseline are not known, no user's window is over by then, or no effect is large enough. */
            readonly mde: components["schemas"]["PlanDetectableEffect"] | null;
            /** @description The same at alpha_corrected: enough even if every other comparison of the experiment shows nothing. */
            readonly mde_corrected: components["schemas"]["PlanDetectableEffect"] | null;
            readonly metric: string;
            /** @description What finds the target effect with the power asked for. Null: notes say why. */
            readonly needed: components["schemas"]["PlanNeeded"] | null;
            /** @description The same at alpha_corrected: enough even if every other comparison of the experiment shows nothing. */
            readonly needed_corrected: components["schemas"]["PlanNeeded"] | null;
            /** @description What the row rests on, and what it lacks. */
            readonly notes: readonly string[];
            readonly target_effect: {
                /** @description Its size in the metric's unit. Null without a baseline. */
                readonly absolute: number | null;
                readonly relative: number;
            };
            readonly treatment: string;
        };
        readonly Price: {
            readonly cached_input_usd_per_million: number | null;
            /** @description A UTC day. */
            readonly effective_from: string;
            /** @description USD per million input tokens. */
            readonly input_usd_per_million: number;
            /** @description As the provider names it. */
            readonly model: string;
            /** @description USD per million output tokens. */
            readonly output_usd_per_million: number;
            readonly reasoning_usd_per_million: number | null;
            /**
             * @description org: set by an admin; wins over the built-in price of the same model and day.
             * @enum {string}
             */
            readonly source: "built-in" | "org";
        };
        readonly PriceListMark: {
            /** @description The UTC day: of each model the newest price from that day or before. */
            readonly as_of: string;
            /** @description 16 hex digits that differ when any price in the list does. */
            readonly fingerprint: string;
        };
        readonly PriceRequest: {
            readonly cached_input_usd_per_million?: number | null;
            /** @description A UTC day. */
            readonly effective_from: string;
            /** @description USD per million input tokens. */
            readonly input_usd_per_million: number;
            /** @description As the provider names it. */
            readonly model: string;
            /** @description USD per million output tokens. */
            readonly output_usd_per_million: number;
            readonly reasoning_usd_per_million?: number | null;
        };
        readonly PriceTable: {
            /** @description By model, newest first. */
            readonly items: readonly components["schemas"]["Price"][];
            /** @description Set when as_of was asked for: equal to a run's, this list is what the run used. */
            readonly price_list: components["schemas"]["PriceListMark"] | null;
        };
        readonly Problem: {
            readonly detail: string;
            readonly errors?: readonly {
                readonly detail: string;
                readonly pointer: string;
            }[];
            /** @description urn:request:<id> */
            readonly instance: string;
            readonly status: number;
            readonly title: string;
            readonly type: string;
        };
        readonly Results: {
            readonly available_days: readonly string[];
            /** @description The version of Assay that computed the run; "" for runs from before it was kept. */
            readonly code_version: string;
            /**
             * Format: date-time
             * @description RFC 3339 in UTC with milliseconds.
             */
            readonly computed_at: string;
            /** @description A UTC day, or manual-<ISO instant>. */
            readonly computed_for: string;
            /**
             * Format: uuid
             * @description UUIDv7, lower case.
             */
            readonly experiment_id: string;
            readonly health: readonly components["schemas"]["HealthEntry"][];
            readonly preliminary: boolean;
            /** @description The prices of calls that carry no cost, as GET /v1/prices?as_of= answers them. Null for runs from before it was kept. */
            readonly price_list: components["schemas"]["PriceListMark"] | null;
            /** @description Keyed "<metric>::<treatment>"; empty when the SRM gate halted. */
            readonly results: {
                readonly [key: string]: components["schemas"]["MetricResult"];
            };
            readonly seed: number | null;
            readonly srm: {
                readonly expected: {
                    readonly [key: string]: number;
                };
                readonly observed: {
                    readonly [key: string]: number;
                };
                /** @description That the split is as allocated: decides, below threshold. */
                readonly p_value: number;
                /** @description Always valid: for whoever looks every day; it does not decide. Null for runs from before it was kept. */
                readonly p_value_seq: number | null;
                /** @enum {string} */
                readonly status: "passed" | "halted";
                readonly threshold: number;
            };
            /** @description Treatments that are significantly cheaper and not worse by more than the margins allow. */
            readonly tradeoffs: readonly components["schemas"]["Tradeoff"][];
            readonly version: number;
            readonly window: {
                readonly from: string | null;
                /**
                 * Format: date-time
                 * @description RFC 3339 in UTC with milliseconds.
                 */
                readonly to: string;
            };
        };
        readonly ResultsHistory: {
            /**
             * Format: uuid
             * @description UUIDv7, lower case.
             */
            readonly experiment_id: string;
            /** @description Nightly runs, oldest first, the last 120 at most; of several runs of a day the latest. */
            readonly runs: readonly {
                /**
                 * Format: date-time
                 * @description RFC 3339 in UTC with milliseconds.
                 */
                readonly computed_at: string;
                /** @description UTC day. */
                readonly computed_for: string;
                /** @description Keyed "<metric>::<treatment>"; without the distributions. */
                readonly results: {
                    readonly [key: string]: {
                        /** @description See ci_low. */
                        readonly ci_high: number | null;
                        /** @description 95 % interval of effect, as p_value looked at once. Null: the test gives none. */
                        readonly ci_low: number | null;
                        /** @description See ci_seq_low. */
                        readonly ci_seq_high: number | null;
                        /** @description 95 % confidence sequence of effect: holds however often one looks. Null: the values have no spread. */
                        readonly ci_seq_low: number | null;
                        /** @description In the metric's unit. */
                        readonly control_value: number;
                        /** @description Treatment minus control, in the metric's unit. */
                        readonly effect: number;
                        readonly metric: string;
                        readonly metric_version: number;
                        /** @description Users analysed. */
                        readonly n_per_arm: {
                            readonly [key: string]: number;
                        };
                        /** @description Benjamini-Hochberg over every row of the run; decides at < 0.05. */
                        readonly p_value_fdr: number;
                        /** @description Always valid: holds however often one looks; the smallest over the nights so far. Null as ci_seq_low. */
                        readonly p_value_seq: number | null;
                        /** @description See relative_ci_low. */
                        readonly relative_ci_high: number | null;
                        /** @description 95 % interval of relative_effect (Fieller). Null: unbounded. */
                        readonly relative_ci_low: number | null;
                        /** @description effect / control_value: 0.1 is +10 %. Null: control is not above 0, or the metric has no relative effect. */
                        readonly relative_effect: number | null;
                        /** @description p_value_fdr < 0.05. */
                        readonly significant: boolean;
                        readonly treatment: string;
                        /** @description In the metric's unit. */
                        readonly treatment_value: number;
                        /** @enum {string} */
                        readonly verdict: "better" | "worse" | "inconclusive";
                    };
                };
                readonly srm: {
                    readonly p_value: number;
                    /** @description Always valid. Null for runs from before it was kept. */
                    readonly p_value_seq: number | null;
                    /** @enum {string} */
                    readonly status: "passed" | "halted";
                    readonly threshold: number;
                };
                readonly version: number;
            }[];
        };
        readonly RetriedJudgements: {
            readonly retried: number;
        };
        readonly RetryJudgementsRequest: {
            readonly metric: string;
        };
        readonly SeatReport: {
            readonly failed: readonly {
                readonly detail: string;
                /**
                 * Format: uuid
                 * @description UUIDv7, lower case.
                 */
                readonly org_id: string;
            }[];
            /** @enum {string} */
            readonly provider: "local" | "clerk" | "oidc";
            /** @description Orgs whose cap the provider took; 0 where there is none to tell. */
            readonly pushed: number;
        };
        readonly StoredEventDetail: {
            readonly business_metric: string | null;
            /** @description Tokens, part of input_tokens. */
            readonly cached_input_tokens: number | null;
            /** @description US dollars, as sent or from the org's prices. Null: neither is known. */
            readonly cost_usd: number | null;
            readonly error: boolean | null;
            readonly error_type: string | null;
            readonly event_id: string;
            readonly finish_reason: string | null;
            /** @description Tokens. */
            readonly input_tokens: number | null;
            /** @description Of a test user: in no metric's sample. */
            readonly is_test: boolean;
            /** @description Of a call that was drawn for a judge. */
            readonly judgements: readonly components["schemas"]["Judgement"][];
            /** @description Milliseconds. */
            readonly latency_ms: number | null;
            readonly metadata: {
                readonly [key: string]: unknown;
            } | null;
            readonly model: string | null;
            /**
             * Format: date-time
             * @description RFC 3339 in UTC with milliseconds.
             */
            readonly occurred_at: string;
            /** @description The user's business events in the experiment, newest first, at most 20. */
            readonly outcomes: readonly {
                readonly business_metric: string;
                /**
                 * Format: date-time
                 * @description RFC 3339 in UTC with milliseconds.
                 */
                readonly occurred_at: string;
                readonly value: number;
            }[];
            /** @description Tokens. */
            readonly output_tokens: number | null;
            readonly prompt: string | null;
            readonly provider: string | null;
            /** @description When the plan's retention removes the event's texts. Null: no plan limit is applied. */
            readonly raw_expires_at: string | null;
            /** @description Tokens, part of output_tokens. */
            readonly reasoning_tokens: number | null;
            /**
             * Format: date-time
             * @description RFC 3339 in UTC with milliseconds.
             */
            readonly received_at: string;
            readonly requested_model: string | null;
            readonly response: string | null;
            /** @description Milliseconds. */
            readonly time_to_first_token_ms: number | null;
            /** @enum {string} */
            readonly type: "exposure" | "model_call" | "business_event";
            readonly user_id: string;
            /** @description Of a business event. */
            readonly value: number | null;
            readonly variant: string | null;
        };
        readonly StoredEventPage: {
            readonly items: readonly components["schemas"]["StoredEventSummary"][];
            readonly next_cursor: string | null;
        };
        readonly StoredEventSummary: {
            readonly business_metric: string | null;
            /** @description Tokens, part of input_tokens. */
            readonly cached_input_tokens: number | null;
            /** @description US dollars, as sent or from the org's prices. Null: neither is known. */
            readonly cost_usd: number | null;
            readonly error: boolean | null;
            readonly error_type: string | null;
            readonly event_id: string;
            readonly finish_reason: string | null;
            /** @description Tokens. */
            readonly input_tokens: number | null;
            /** @description Of a test user: in no metric's sample. */
            readonly is_test: boolean;
            /** @description Milliseconds. */
            readonly latency_ms: number | null;
            readonly model: string | null;
            /**
             * Format: date-time
             * @description RFC 3339 in UTC with milliseconds.
             */
            readonly occurred_at: string;
            /** @description Tokens. */
            readonly output_tokens: number | null;
            /** @description The first 200 characters; null: none was sent. */
            readonly prompt_preview: string | null;
            readonly provider: string | null;
            /** @description Tokens, part of output_tokens. */
            readonly reasoning_tokens: number | null;
            /**
             * Format: date-time
             * @description RFC 3339 in UTC with milliseconds.
             */
            readonly received_at: string;
            readonly requested_model: string | null;
            /** @description The first 200 characters; null: none was sent. */
            readonly response_preview: string | null;
            /** @description Of a call that was drawn for a judge. */
            readonly scores: readonly components["schemas"]["CallScore"][];
            /** @description Milliseconds. */
            readonly time_to_first_token_ms: number | null;
            /** @enum {string} */
            readonly type: "exposure" | "model_call" | "business_event";
            readonly user_id: string;
            /** @description Of a business event. */
            readonly value: number | null;
            readonly variant: string | null;
        };
        /** @description An event of any of Stripe's API versions. */
        readonly StripeEvent: {
            /** @description Seconds since 1970: the newest event counts. */
            readonly created: number;
            readonly data: {
                readonly object: unknown;
            };
            readonly id: string;
            readonly type: string;
        };
        readonly Tradeoff: {
            /** @description It holds however often one looks, or the planned precision is there. */
            readonly is_settled: boolean;
            /** @description Every metric with a margin. */
            readonly not_worse: readonly {
                /** @description The metric rests on a judge that labels do not correct. */
                readonly is_judge_opinion: boolean;
                readonly margin: number;
                readonly metric: string;
                readonly worst_loss: number;
            }[];
            readonly saving: {
                readonly ci_high: number;
                /** @description 95 % interval of the saving. */
                readonly ci_low: number;
                /** @description The cost metric whose corrected p-value is below 0.05. */
                readonly metric: string;
                /** @description See relative_effect. */
                readonly relative_ci_high: number | null;
                /** @description See relative_effect. */
                readonly relative_ci_low: number | null;
                /** @description Of the cost metric: -0.18 is 18 % cheaper. */
                readonly relative_effect: number | null;
                /** @description US dollars saved, positive. */
                readonly usd_per_1000_users: number;
            };
            readonly treatment: string;
            /** @enum {string} */
            readonly verdict: "cheaper-and-not-worse";
        };
        readonly TrafficSeries: {
            readonly days: readonly {
                readonly day: string;
                readonly exposures: {
                    readonly [key: string]: number;
                };
                readonly users: {
                    readonly [key: string]: number;
                };
            }[];
            /**
             * Format: uuid
             * @description UUIDv7, lower case.
             */
            readonly experiment_id: string;
        };
        readonly UsageSummary: {
            /** @description Whether this installation applies plan limits. */
            readonly enforced: boolean;
            readonly events: {
                readonly allowance: number | null;
                /** @description Events beyond the allowance that the plan bills; 0 where it refuses. */
                readonly overage: number;
                /** @description Distinct events: a repeat counts once. */
                readonly used: number;
            };
            readonly judge_evaluations: {
                readonly allowance: number | null;
                readonly used: number;
            };
            readonly limits: components["schemas"]["PlanLimit"];
            /** @description UTC calendar month, YYYY-MM. */
            readonly month: string;
            /** @description Whether events beyond the allowance are accepted and billed. */
            readonly overage_billed: boolean;
            /**
             * Format: date-time
             * @description RFC 3339 in UTC with milliseconds.
             */
            readonly resets_at: string;
        };
        readonly WebhookSecret: {
            /**
             * Format: date-time
             * @description RFC 3339 in UTC with milliseconds.
             */
            readonly created_at: string;
            /** @description whsec_ and 32 bytes in base64. Shown this once. */
            readonly secret: string;
        };
        readonly WebhookSecretStatus: {
            readonly configured: boolean;
            readonly created_at: string | null;
        };
        readonly WhoAmI: {
            readonly email: string;
            readonly name: string;
            /**
             * Format: uuid
             * @description UUIDv7, lower case.
             */
            readonly org_id: string;
            /** @description "": the identity provider has told none. */
            readonly org_name: string;
            readonly platform_owner: boolean;
            /** @enum {string} */
            readonly role: "member" | "admin" | "owner";
            /**
             * Format: uuid
             * @description UUIDv7, lower case.
             */
            readonly user_id: string;
        };
    };
    responses: never;
    parameters: never;
    requestBodies: never;
    headers: never;
    pathItems: never;
}
export type $defs = Record<string, never>;
export interface operations {
    readonly listDeadLetters: {
        readonly parameters: {
            readonly query?: never;
            readonly header?: never;
            readonly path?: never;
            readonly cookie?: never;
        };
        readonly requestBody?: never;
        readonly responses: {
            /** @description The dead letters. */
            readonly 200: {
                headers: {
                    readonly [name: string]: unknown;
                };
                content: {
                    readonly "application/json": components["schemas"]["DeadLetters"];
                };
            };
            /** @description The credential is missing or not valid (https://assay.dev/problems/invalid-credential). */
            readonly 401: {
                headers: {
                    readonly [name: string]: unknown;
                };
                content: {
                    readonly "application/problem+json": components["schemas"]["Problem"];
                };
            };
            /** @description All seats of the plan are taken (https://assay.dev/problems/seat-required). Only the platform owner may do this (https://assay.dev/problems/platform-owner-required). */
            readonly 403: {
                headers: {
                    readonly [name: string]: unknown;
                };
                content: {
                    readonly "application/problem+json": components["schemas"]["Problem"];
                };
            };
            /** @description Something went wrong on our side (https://assay.dev/problems/internal). */
            readonly 500: {
                headers: {
                    readonly [name: string]: unknown;
                };
                content: {
                    readonly "application/problem+json": components["schemas"]["Problem"];
                };
            };
            /** @description Storage is not available (https://assay.dev/problems/storage-unavailable). The identity provider does not answer (https://assay.dev/problems/identity-unavailable). */
            readonly 503: {
                headers: {
                    readonly [name: string]: unknown;
                };
                content: {
                    readonly "application/problem+json": components["schemas"]["Problem"];
                };
            };
        };
    };
    readonly replayDeadLetters: {
        readonly parameters: {
            readonly query?: never;
            readonly header?: never;
            readonly path?: never;
            readonly cookie?: never;
        };
        readonly requestBody?: {
            readonly content: {
                readonly "application/json": components["schemas"]["DeadLetterReplay"];
            };
        };
        readonly responses: {
            /** @description How many. */
            readonly 200: {
                headers: {
                    readonly [name: string]: unknown;
                };
                content: {
                    readonly "application/json": components["schemas"]["DeadLetterReport"];
                };
            };
            /** @description The request body is not valid (https://assay.dev/problems/invalid-body). */
            readonly 400: {
                headers: {
                    readonly [name: string]: unknown;
                };
                content: {
                    readonly "application/problem+json": components["schemas"]["Problem"];
                };
            };
            /** @description The credential is missing or not valid (https://assay.dev/problems/invalid-credential). */
            readonly 401: {
                headers: {
                    readonly [name: string]: unknown;
                };
                content: {
                    readonly "application/problem+json": components["schemas"]["Problem"];
                };
            };
            /** @description All seats of the plan are taken (https://assay.dev/problems/seat-required). The request comes from another origin (https://assay.dev/problems/foreign-origin). Only the platform owner may do this (https://assay.dev/problems/platform-owner-required). */
            readonly 403: {
                headers: {
                    readonly [name: string]: unknown;
                };
                content: {
                    readonly "application/problem+json": components["schemas"]["Problem"];
                };
            };
            /** @description The request body is too large (https://assay.dev/problems/body-too-large). */
            readonly 413: {
                headers: {
                    readonly [name: string]: unknown;
                };
                content: {
                    readonly "application/problem+json": components["schemas"]["Problem"];
                };
            };
            /** @description This media type is not read here (https://assay.dev/problems/unsupported-media-type). */
            readonly 415: {
                headers: {
                    readonly [name: string]: unknown;
                };
                content: {
                    readonly "application/problem+json": components["schemas"]["Problem"];
                };
            };
            /** @description Something went wrong on our side (https://assay.dev/problems/internal). */
            readonly 500: {
                headers: {
                    readonly [name: string]: unknown;
                };
                content: {
                    readonly "application/problem+json": components["schemas"]["Problem"];
                };
            };
            /** @description The ingest queue is full (https://assay.dev/problems/queue-full). Storage is not available (https://assay.dev/problems/storage-unavailable). The identity provider does not answer (https://assay.dev/problems/identity-unavailable). */
            readonly 503: {
                headers: {
                    readonly [name: string]: unknown;
                };
                content: {
                    readonly "application/problem+json": components["schemas"]["Problem"];
                };
            };
        };
    };
    readonly getAdminHealth: {
        readonly parameters: {
            readonly query?: never;
            readonly header?: never;
            readonly path?: never;
            readonly cookie?: never;
        };
        readonly requestBody?: never;
        readonly responses: {
            /** @description How they are, good or bad. */
            readonly 200: {
                headers: {
                    readonly [name: string]: unknown;
                };
                content: {
                    readonly "application/json": components["schemas"]["AdminHealth"];
                };
            };
            /** @description The credential is missing or not valid (https://assay.dev/problems/invalid-credential). */
            readonly 401: {
                headers: {
                    readonly [name: string]: unknown;
                };
                content: {
                    readonly "application/problem+json": components["schemas"]["Problem"];
                };
            };
            /** @description All seats of the plan are taken (https://assay.dev/problems/seat-required). Only the platform owner may do this (https://assay.dev/problems/platform-owner-required). */
            readonly 403: {
                headers: {
                    readonly [name: string]: unknown;
                };
                content: {
                    readonly "application/problem+json": components["schemas"]["Problem"];
                };
            };
            /** @description Something went wrong on our side (https://assay.dev/problems/internal). */
            readonly 500: {
                headers: {
                    readonly [name: string]: unknown;
                };
                content: {
                    readonly "application/problem+json": components["schemas"]["Problem"];
                };
            };
            /** @description Storage is not available (https://assay.dev/problems/storage-unavailable). The identity provider does not answer (https://assay.dev/problems/identity-unavailable). */
            readonly 503: {
                headers: {
                    readonly [name: string]: unknown;
                };
                content: {
                    readonly "application/problem+json": components["schemas"]["Problem"];
                };
            };
        };
    };
    readonly listInbox: {
        readonly parameters: {
            readonly query?: {
                readonly cursor?: string;
                readonly limit?: number;
            };
            readonly header?: never;
            readonly path?: never;
            readonly cookie?: never;
        };
        readonly requestBody?: never;
        readonly responses: {
            /** @description One page. */
            readonly 200: {
                headers: {
                    readonly [name: string]: unknown;
                };
                content: {
                    readonly "application/json": components["schemas"]["InboxPage"];
                };
            };
            /** @description A query parameter is not valid (https://assay.dev/problems/invalid-query). */
            readonly 400: {
                headers: {
                    readonly [name: string]: unknown;
                };
                content: {
                    readonly "application/problem+json": components["schemas"]["Problem"];
                };
            };
            /** @description The credential is missing or not valid (https://assay.dev/problems/invalid-credential). */
            readonly 401: {
                headers: {
                    readonly [name: string]: unknown;
                };
                content: {
                    readonly "application/problem+json": components["schemas"]["Problem"];
                };
            };
            /** @description All seats of the plan are taken (https://assay.dev/problems/seat-required). Only the platform owner may do this (https://assay.dev/problems/platform-owner-required). */
            readonly 403: {
                headers: {
                    readonly [name: string]: unknown;
                };
                content: {
                    readonly "application/problem+json": components["schemas"]["Problem"];
                };
            };
            /** @description Something went wrong on our side (https://assay.dev/problems/internal). */
            readonly 500: {
                headers: {
                    readonly [name: string]: unknown;
                };
                content: {
                    readonly "application/problem+json": components["schemas"]["Problem"];
                };
            };
            /** @description Storage is not available (https://assay.dev/problems/storage-unavailable). The identity provider does not answer (https://assay.dev/problems/identity-unavailable). */
            readonly 503: {
                headers: {
                    readonly [name: string]: unknown;
                };
                content: {
                    readonly "application/problem+json": components["schemas"]["Problem"];
                };
            };
        };
    };
    readonly listAdminOrgs: {
        readonly parameters: {
            readonly query?: {
                readonly cursor?: string;
                readonly limit?: number;
            };
            readonly header?: never;
            readonly path?: never;
            readonly cookie?: never;
        };
        readonly requestBody?: never;
        readonly responses: {
            /** @description One page. */
            readonly 200: {
                headers: {
                    readonly [name: string]: unknown;
                };
                content: {
                    readonly "application/json": components["schemas"]["AdminOrgPage"];
                };
            };
            /** @description A query parameter is not valid (https://assay.dev/problems/invalid-query). */
            readonly 400: {
                headers: {
                    readonly [name: string]: unknown;
                };
                content: {
                    readonly "application/problem+json": components["schemas"]["Problem"];
                };
            };
            /** @description The credential is missing or not valid (https://assay.dev/problems/invalid-credential). */
            readonly 401: {
                headers: {
                    readonly [name: string]: unknown;
                };
                content: {
                    readonly "application/problem+json": components["schemas"]["Problem"];
                };
            };
            /** @description All seats of the plan are taken (https://assay.dev/problems/seat-required). Only the platform owner may do this (https://assay.dev/problems/platform-owner-required). */
            readonly 403: {
                headers: {
                    readonly [name: string]: unknown;
                };
                content: {
                    readonly "application/problem+json": components["schemas"]["Problem"];
                };
            };
            /** @description Something went wrong on our side (https://assay.dev/problems/internal). */
            readonly 500: {
                headers: {
                    readonly [name: string]: unknown;
                };
                content: {
                    readonly "application/problem+json": components["schemas"]["Problem"];
                };
            };
            /** @description Storage is not available (https://assay.dev/problems/storage-unavailable). The identity provider does not answer (https://assay.dev/problems/identity-unavailable). */
            readonly 503: {
                headers: {
                    readonly [name: string]: unknown;
                };
                content: {
                    readonly "application/problem+json": components["schemas"]["Problem"];
                };
            };
        };
    };
    readonly getAdminOrg: {
        readonly parameters: {
            readonly query?: never;
            readonly header?: never;
            readonly path: {
                readonly id: string;
            };
            readonly cookie?: never;
        };
        readonly requestBody?: never;
        readonly responses: {
            /** @description The org. */
            readonly 200: {
                headers: {
                    readonly [name: string]: unknown;
                };
                content: {
                    readonly "application/json": components["schemas"]["AdminOrg"];
                };
            };
            /** @description The credential is missing or not valid (https://assay.dev/problems/invalid-credential). */
            readonly 401: {
                headers: {
                    readonly [name: string]: unknown;
                };
                content: {
                    readonly "application/problem+json": components["schemas"]["Problem"];
                };
            };
            /** @description All seats of the plan are taken (https://assay.dev/problems/seat-required). Only the platform owner may do this (https://assay.dev/problems/platform-owner-required). */
            readonly 403: {
                headers: {
                    readonly [name: string]: unknown;
                };
                content: {
                    readonly "application/problem+json": components["schemas"]["Problem"];
                };
            };
            /** @description There is no such organization (https://assay.dev/problems/org-not-found). */
            readonly 404: {
                headers: {
                    readonly [name: string]: unknown;
                };
                content: {
                    readonly "application/problem+json": components["schemas"]["Problem"];
                };
            };
            /** @description Something went wrong on our side (https://assay.dev/problems/internal). */
            readonly 500: {
                headers: {
                    readonly [name: string]: unknown;
                };
                content: {
                    readonly "application/problem+json": components["schemas"]["Problem"];
                };
            };
            /** @description Storage is not available (https://assay.dev/problems/storage-unavailable). The identity provider does not answer (https://assay.dev/problems/identity-unavailable). */
            readonly 503: {
                headers: {
                    readonly [name: string]: unknown;
                };
                content: {
                    readonly "application/problem+json": components["schemas"]["Problem"];
                };
            };
        };
    };
    readonly putPlanOverride: {
        readonly parameters: {
            readonly query?: never;
            readonly header?: never;
            readonly path: {
                readonly id: string;
            };
            readonly cookie?: never;
        };
        readonly requestBody: {
            readonly content: {
                readonly "application/json": components["schemas"]["PlanOverrideRequest"];
            };
        };
        readonly responses: {
            /** @description The org's plan. */
            readonly 200: {
                headers: {
                    readonly [name: string]: unknown;
                };
                content: {
                    readonly "application/json": components["schemas"]["OrgPlan"];
                };
            };
            /** @description The request body is not valid (https://assay.dev/problems/invalid-body). */
            readonly 400: {
                headers: {
                    readonly [name: string]: unknown;
                };
                content: {
                    readonly "application/problem+json": components["schemas"]["Problem"];
                };
            };
            /** @description The credential is missing or not valid (https://assay.dev/problems/invalid-credential). */
            readonly 401: {
                headers: {
                    readonly [name: string]: unknown;
                };
                content: {
                    readonly "application/problem+json": components["schemas"]["Problem"];
                };
            };
            /** @description All seats of the plan are taken (https://assay.dev/problems/seat-required). The request comes from another origin (https://assay.dev/problems/foreign-origin). Only the platform owner may do this (https://assay.dev/problems/platform-owner-required). */
            readonly 403: {
                headers: {
                    readonly [name: string]: unknown;
                };
                content: {
                    readonly "application/problem+json": components["schemas"]["Problem"];
                };
            };
            /** @description There is no such organization (https://assay.dev/problems/org-not-found). */
            readonly 404: {
                headers: {
                    readonly [name: string]: unknown;
                };
                content: {
                    readonly "application/problem+json": components["schemas"]["Problem"];
                };
            };
            /** @description The request body is too large (https://assay.dev/problems/body-too-large). */
            readonly 413: {
                headers: {
                    readonly [name: string]: unknown;
                };
                content: {
                    readonly "application/problem+json": components["schemas"]["Problem"];
                };
            };
            /** @description This media type is not read here (https://assay.dev/problems/unsupported-media-type). */
            readonly 415: {
                headers: {
                    readonly [name: string]: unknown;
                };
                content: {
                    readonly "application/problem+json": components["schemas"]["Problem"];
                };
            };
            /** @description Something went wrong on our side (https://assay.dev/problems/internal). */
            readonly 500: {
                headers: {
                    readonly [name: string]: unknown;
                };
                content: {
                    readonly "application/problem+json": components["schemas"]["Problem"];
                };
            };
            /** @description Storage is not available (https://assay.dev/problems/storage-unavailable). The identity provider does not answer (https://assay.dev/problems/identity-unavailable). */
            readonly 503: {
                headers: {
                    readonly [name: string]: unknown;
                };
                content: {
                    readonly "application/problem+json": components["schemas"]["Problem"];
                };
            };
        };
    };
    readonly getAdminOverview: {
        readonly parameters: {
            readonly query?: never;
            readonly header?: never;
            readonly path?: never;
            readonly cookie?: never;
        };
        readonly requestBody?: never;
        readonly responses: {
            /** @description The totals. */
            readonly 200: {
                headers: {
                    readonly [name: string]: unknown;
                };
                content: {
                    readonly "application/json": components["schemas"]["AdminOverview"];
                };
            };
            /** @description The credential is missing or not valid (https://assay.dev/problems/invalid-credential). */
            readonly 401: {
                headers: {
                    readonly [name: string]: unknown;
                };
                content: {
                    readonly "application/problem+json": components["schemas"]["Problem"];
                };
            };
            /** @description All seats of the plan are taken (https://assay.dev/problems/seat-required). Only the platform owner may do this (https://assay.dev/problems/platform-owner-required). */
            readonly 403: {
                headers: {
                    readonly [name: string]: unknown;
                };
                content: {
                    readonly "application/problem+json": components["schemas"]["Problem"];
                };
            };
            /** @description Something went wrong on our side (https://assay.dev/problems/internal). */
            readonly 500: {
                headers: {
                    readonly [name: string]: unknown;
                };
                content: {
                    readonly "application/problem+json": components["schemas"]["Problem"];
                };
            };
            /** @description Storage is not available (https://assay.dev/problems/storage-unavailable). The identity provider does not answer (https://assay.dev/problems/identity-unavailable). */
            readonly 503: {
                headers: {
                    readonly [name: string]: unknown;
                };
                content: {
                    readonly "application/problem+json": components["schemas"]["Problem"];
                };
            };
        };
    };
    readonly runPipeline: {
        readonly parameters: {
            readonly query?: never;
            readonly header?: never;
            readonly path?: never;
            readonly cookie?: never;
        };
        readonly requestBody?: {
            readonly content: {
                readonly "application/json": components["schemas"]["PipelineRunRequest"];
            };
        };
        readonly responses: {
            /** @description The outcome per experiment. */
            readonly 200: {
                headers: {
                    readonly [name: string]: unknown;
                };
                content: {
                    readonly "application/json": components["schemas"]["PipelineRunReport"];
                };
            };
            /** @description The request body is not valid (https://assay.dev/problems/invalid-body). */
            readonly 400: {
                headers: {
                    readonly [name: string]: unknown;
                };
                content: {
                    readonly "application/problem+json": components["schemas"]["Problem"];
                };
            };
            /** @description The credential is missing or not valid (https://assay.dev/problems/invalid-credential). */
            readonly 401: {
                headers: {
                    readonly [name: string]: unknown;
                };
                content: {
                    readonly "application/problem+json": components["schemas"]["Problem"];
                };
            };
            /** @description All seats of the plan are taken (https://assay.dev/problems/seat-required). The request comes from another origin (https://assay.dev/problems/foreign-origin). Only the platform owner may do this (https://assay.dev/problems/platform-owner-required). */
            readonly 403: {
                headers: {
                    readonly [name: string]: unknown;
                };
                content: {
                    readonly "application/problem+json": components["schemas"]["Problem"];
                };
            };
            /** @description There is no such experiment (https://assay.dev/problems/experiment-not-found). */
            readonly 404: {
                headers: {
                    readonly [name: string]: unknown;
                };
                content: {
                    readonly "application/problem+json": components["schemas"]["Problem"];
                };
            };
            /** @description The request body is too large (https://assay.dev/problems/body-too-large). */
            readonly 413: {
                headers: {
                    readonly [name: string]: unknown;
                };
                content: {
                    readonly "application/problem+json": components["schemas"]["Problem"];
                };
            };
            /** @description This media type is not read here (https://assay.dev/problems/unsupported-media-type). */
            readonly 415: {
                headers: {
                    readonly [name: string]: unknown;
                };
                content: {
                    readonly "application/problem+json": components["schemas"]["Problem"];
                };
            };
            /** @description Something went wrong on our side (https://assay.dev/problems/internal). */
            readonly 500: {
                headers: {
                    readonly [name: string]: unknown;
                };
                content: {
                    readonly "application/problem+json": components["schemas"]["Problem"];
                };
            };
            /** @description Storage is not available (https://assay.dev/problems/storage-unavailable). The identity provider does not answer (https://assay.dev/problems/identity-unavailable). */
            readonly 503: {
                headers: {
                    readonly [name: string]: unknown;
                };
                content: {
                    readonly "application/problem+json": components["schemas"]["Problem"];
                };
            };
        };
    };
    readonly resyncSeats: {
        readonly parameters: {
            readonly query?: never;
            readonly header?: never;
            readonly path?: never;
            readonly cookie?: never;
        };
        readonly requestBody?: never;
        readonly responses: {
            /** @description What the provider took. */
            readonly 200: {
                headers: {
                    readonly [name: string]: unknown;
                };
                content: {
                    readonly "application/json": components["schemas"]["SeatReport"];
                };
            };
            /** @description The credential is missing or not valid (https://assay.dev/problems/invalid-credential). */
            readonly 401: {
                headers: {
                    readonly [name: string]: unknown;
                };
                content: {
                    readonly "application/problem+json": components["schemas"]["Problem"];
                };
            };
            /** @description All seats of the plan are taken (https://assay.dev/problems/seat-required). The request comes from another origin (https://assay.dev/problems/foreign-origin). Only the platform owner may do this (https://assay.dev/problems/platform-owner-required). */
            readonly 403: {
                headers: {
                    readonly [name: string]: unknown;
                };
                content: {
                    readonly "application/problem+json": components["schemas"]["Problem"];
                };
            };
            /** @description Something went wrong on our side (https://assay.dev/problems/internal). */
            readonly 500: {
                headers: {
                    readonly [name: string]: unknown;
                };
                content: {
                    readonly "application/problem+json": components["schemas"]["Problem"];
                };
            };
            /** @description Storage is not available (https://assay.dev/problems/storage-unavailable). The identity provider does not answer (https://assay.dev/problems/identity-unavailable). */
            readonly 503: {
                headers: {
                    readonly [name: string]: unknown;
                };
                content: {
                    readonly "application/problem+json": components["schemas"]["Problem"];
                };
            };
        };
    };
    readonly assign: {
        readonly parameters: {
            readonly query?: never;
            readonly header?: never;
            readonly path?: never;
            readonly cookie?: never;
        };
        readonly requestBody: {
            readonly content: {
                readonly "application/json": components["schemas"]["AssignRequest"];
            };
        };
        readonly responses: {
            /** @description The variant. */
            readonly 200: {
                headers: {
                    readonly [name: string]: unknown;
                };
                content: {
                    readonly "application/json": components["schemas"]["AssignResponse"];
                };
            };
            /** @description The request body is not valid (https://assay.dev/problems/invalid-body). */
            readonly 400: {
                headers: {
                    readonly [name: string]: unknown;
                };
                content: {
                    readonly "application/problem+json": components["schemas"]["Problem"];
                };
            };
            /** @description The credential is missing or not valid (https://assay.dev/problems/invalid-credential). */
            readonly 401: {
                headers: {
                    readonly [name: string]: unknown;
                };
                content: {
                    readonly "application/problem+json": components["schemas"]["Problem"];
                };
            };
            /** @description There is no such experiment (https://assay.dev/problems/experiment-not-found). */
            readonly 404: {
                headers: {
                    readonly [name: string]: unknown;
                };
                content: {
                    readonly "application/problem+json": components["schemas"]["Problem"];
                };
            };
            /** @description The request body is too large (https://assay.dev/problems/body-too-large). */
            readonly 413: {
                headers: {
                    readonly [name: string]: unknown;
                };
                content: {
                    readonly "application/problem+json": components["schemas"]["Problem"];
                };
            };
            /** @description This media type is not read here (https://assay.dev/problems/unsupported-media-type). */
            readonly 415: {
                headers: {
                    readonly [name: string]: unknown;
                };
                content: {
                    readonly "application/problem+json": components["schemas"]["Problem"];
                };
            };
            /** @description Too many requests (https://assay.dev/problems/rate-limited). */
            readonly 429: {
                headers: {
                    readonly [name: string]: unknown;
                };
                content: {
                    readonly "application/problem+json": components["schemas"]["Problem"];
                };
            };
            /** @description Something went wrong on our side (https://assay.dev/problems/internal). */
            readonly 500: {
                headers: {
                    readonly [name: string]: unknown;
                };
                content: {
                    readonly "application/problem+json": components["schemas"]["Problem"];
                };
            };
            /** @description Storage is not available (https://assay.dev/problems/storage-unavailable). */
            readonly 503: {
                headers: {
                    readonly [name: string]: unknown;
                };
                content: {
                    readonly "application/problem+json": components["schemas"]["Problem"];
                };
            };
        };
    };
    readonly listAudit: {
        readonly parameters: {
            readonly query?: {
                readonly cursor?: string;
                readonly limit?: number;
                readonly target_id?: string;
            };
            readonly header?: never;
            readonly path?: never;
            readonly cookie?: never;
        };
        readonly requestBody?: never;
        readonly responses: {
            /** @description One page. */
            readonly 200: {
                headers: {
                    readonly [name: string]: unknown;
                };
                content: {
                    readonly "application/json": components["schemas"]["AuditPage"];
                };
            };
            /** @description A query parameter is not valid (https://assay.dev/problems/invalid-query). */
            readonly 400: {
                headers: {
                    readonly [name: string]: unknown;
                };
                content: {
                    readonly "application/problem+json": components["schemas"]["Problem"];
                };
            };
            /** @description The credential is missing or not valid (https://assay.dev/problems/invalid-credential). */
            readonly 401: {
                headers: {
                    readonly [name: string]: unknown;
                };
                content: {
                    readonly "application/problem+json": components["schemas"]["Problem"];
                };
            };
            /** @description All seats of the plan are taken (https://assay.dev/problems/seat-required). */
            readonly 403: {
                headers: {
                    readonly [name: string]: unknown;
                };
                content: {
                    readonly "application/problem+json": components["schemas"]["Problem"];
                };
            };
            /** @description Something went wrong on our side (https://assay.dev/problems/internal). */
            readonly 500: {
                headers: {
                    readonly [name: string]: unknown;
                };
                content: {
                    readonly "application/problem+json": components["schemas"]["Problem"];
                };
            };
            /** @description Storage is not available (https://assay.dev/problems/storage-unavailable). The identity provider does not answer (https://assay.dev/problems/identity-unavailable). */
            readonly 503: {
                headers: {
                    readonly [name: string]: unknown;
                };
                content: {
                    readonly "application/problem+json": components["schemas"]["Problem"];
                };
            };
        };
    };
    readonly createCheckoutSession: {
        readonly parameters: {
            readonly query?: never;
            readonly header?: never;
            readonly path?: never;
            readonly cookie?: never;
        };
        readonly requestBody: {
            readonly content: {
                readonly "application/json": components["schemas"]["CheckoutRequest"];
            };
        };
        readonly responses: {
            /** @description Where to pay. */
            readonly 200: {
                headers: {
                    readonly [name: string]: unknown;
                };
                content: {
                    readonly "application/json": components["schemas"]["HostedUrl"];
                };
            };
            /** @description The request body is not valid (https://assay.dev/problems/invalid-body). */
            readonly 400: {
                headers: {
                    readonly [name: string]: unknown;
                };
                content: {
                    readonly "application/problem+json": components["schemas"]["Problem"];
                };
            };
            /** @description The credential is missing or not valid (https://assay.dev/problems/invalid-credential). */
            readonly 401: {
                headers: {
                    readonly [name: string]: unknown;
                };
                content: {
                    readonly "application/problem+json": components["schemas"]["Problem"];
                };
            };
            /** @description All seats of the plan are taken (https://assay.dev/problems/seat-required). The request comes from another origin (https://assay.dev/problems/foreign-origin). Your role does not allow this (https://assay.dev/problems/role-required). */
            readonly 403: {
                headers: {
                    readonly [name: string]: unknown;
                };
                content: {
                    readonly "application/problem+json": components["schemas"]["Problem"];
                };
            };
            /** @description This installation has no billing (https://assay.dev/problems/billing-not-configured). The organization has a subscription already (https://assay.dev/problems/checkout-conflict). */
            readonly 409: {
                headers: {
                    readonly [name: string]: unknown;
                };
                content: {
                    readonly "application/problem+json": components["schemas"]["Problem"];
                };
            };
            /** @description The request body is too large (https://assay.dev/problems/body-too-large). */
            readonly 413: {
                headers: {
                    readonly [name: string]: unknown;
                };
                content: {
                    readonly "application/problem+json": components["schemas"]["Problem"];
                };
            };
            /** @description This media type is not read here (https://assay.dev/problems/unsupported-media-type). */
            readonly 415: {
                headers: {
                    readonly [name: string]: unknown;
                };
                content: {
                    readonly "application/problem+json": components["schemas"]["Problem"];
                };
            };
            /** @description Something went wrong on our side (https://assay.dev/problems/internal). */
            readonly 500: {
                headers: {
                    readonly [name: string]: unknown;
                };
                content: {
                    readonly "application/problem+json": components["schemas"]["Problem"];
                };
            };
            /** @description The billing provider does not answer (https://assay.dev/problems/billing-unavailable). Storage is not available (https://assay.dev/problems/storage-unavailable). The identity provider does not answer (https://assay.dev/problems/identity-unavailable). */
            readonly 503: {
                headers: {
                    readonly [name: string]: unknown;
                };
                content: {
                    readonly "application/problem+json": components["schemas"]["Problem"];
                };
            };
        };
    };
    readonly createPortalSession: {
        readonly parameters: {
            readonly query?: never;
            readonly header?: never;
            readonly path?: never;
            readonly cookie?: never;
        };
        readonly requestBody?: never;
        readonly responses: {
            /** @description Where to manage the subscription. */
            readonly 200: {
                headers: {
                    readonly [name: string]: unknown;
                };
                content: {
                    readonly "application/json": components["schemas"]["HostedUrl"];
                };
            };
            /** @description The credential is missing or not valid (https://assay.dev/problems/invalid-credential). */
            readonly 401: {
                headers: {
                    readonly [name: string]: unknown;
                };
                content: {
                    readonly "application/problem+json": components["schemas"]["Problem"];
                };
            };
            /** @description All seats of the plan are taken (https://assay.dev/problems/seat-required). The request comes from another origin (https://assay.dev/problems/foreign-origin). Your role does not allow this (https://assay.dev/problems/role-required). */
            readonly 403: {
                headers: {
                    readonly [name: string]: unknown;
                };
                content: {
                    readonly "application/problem+json": components["schemas"]["Problem"];
                };
            };
            /** @description This installation has no billing (https://assay.dev/problems/billing-not-configured). The organization has no billing account (https://assay.dev/problems/no-billing-account). */
            readonly 409: {
                headers: {
                    readonly [name: string]: unknown;
                };
                content: {
                    readonly "application/problem+json": components["schemas"]["Problem"];
                };
            };
            /** @description Something went wrong on our side (https://assay.dev/problems/internal). */
            readonly 500: {
                headers: {
                    readonly [name: string]: unknown;
                };
                content: {
                    readonly "application/problem+json": components["schemas"]["Problem"];
                };
            };
            /** @description The billing provider does not answer (https://assay.dev/problems/billing-unavailable). Storage is not available (https://assay.dev/problems/storage-unavailable). The identity provider does not answer (https://assay.dev/problems/identity-unavailable). */
            readonly 503: {
                headers: {
                    readonly [name: string]: unknown;
                };
                content: {
                    readonly "application/problem+json": components["schemas"]["Problem"];
                };
            };
        };
    };
    readonly getBillingSummary: {
        readonly parameters: {
            readonly query?: never;
            readonly header?: never;
            readonly path?: never;
            readonly cookie?: never;
        };
        readonly requestBody?: never;
        readonly responses: {
            /** @description The plan and the subscription. */
            readonly 200: {
                headers: {
                    readonly [name: string]: unknown;
                };
                content: {
                    readonly "application/json": components["schemas"]["BillingSummary"];
                };
            };
            /** @description The credential is missing or not valid (https://assay.dev/problems/invalid-credential). */
            readonly 401: {
                headers: {
                    readonly [name: string]: unknown;
                };
                content: {
                    readonly "application/problem+json": components["schemas"]["Problem"];
                };
            };
            /** @description All seats of the plan are taken (https://assay.dev/problems/seat-required). */
            readonly 403: {
                headers: {
                    readonly [name: string]: unknown;
                };
                content: {
                    readonly "application/problem+json": components["schemas"]["Problem"];
                };
            };
            /** @description Something went wrong on our side (https://assay.dev/problems/internal). */
            readonly 500: {
                headers: {
                    readonly [name: string]: unknown;
                };
                content: {
                    readonly "application/problem+json": components["schemas"]["Problem"];
                };
            };
            /** @description Storage is not available (https://assay.dev/problems/storage-unavailable). The identity provider does not answer (https://assay.dev/problems/identity-unavailable). */
            readonly 503: {
                headers: {
                    readonly [name: string]: unknown;
                };
                content: {
                    readonly "application/problem+json": components["schemas"]["Problem"];
                };
            };
        };
    };
    readonly ingestBusinessEvent: {
        readonly parameters: {
            readonly query?: never;
            readonly header?: {
                /** @description Names the delivery: the same for every attempt at it. */
                readonly "webhook-id"?: string;
                /** @description When the attempt was signed, in seconds since 1970; at most five minutes away. */
                readonly "webhook-timestamp"?: string;
            };
            readonly path?: never;
            readonly cookie?: never;
        };
        readonly requestBody: {
            readonly content: {
                readonly "application/json": components["schemas"]["BusinessEvent"];
            };
        };
        readonly responses: {
            /** @description The event is on disk. */
            readonly 202: {
                headers: {
                    readonly [name: string]: unknown;
                };
                content: {
                    readonly "application/json": components["schemas"]["IngestAck"];
                };
            };
            /** @description The request body is not valid (https://assay.dev/problems/invalid-body). */
            readonly 400: {
                headers: {
                    readonly [name: string]: unknown;
                };
                content: {
                    readonly "application/problem+json": components["schemas"]["Problem"];
                };
            };
            /** @description The signature is missing or not valid (https://assay.dev/problems/invalid-signature). */
            readonly 401: {
                headers: {
                    readonly [name: string]: unknown;
                };
                content: {
                    readonly "application/problem+json": components["schemas"]["Problem"];
                };
            };
            /** @description The request body is too large (https://assay.dev/problems/body-too-large). */
            readonly 413: {
                headers: {
                    readonly [name: string]: unknown;
                };
                content: {
                    readonly "application/problem+json": components["schemas"]["Problem"];
                };
            };
            /** @description This media type is not read here (https://assay.dev/problems/unsupported-media-type). */
            readonly 415: {
                headers: {
                    readonly [name: string]: unknown;
                };
                content: {
                    readonly "application/problem+json": components["schemas"]["Problem"];
                };
            };
            /** @description Too many requests (https://assay.dev/problems/rate-limited). The monthly event allowance is used up (https://assay.dev/problems/allowance-exhausted). */
            readonly 429: {
                headers: {
                    readonly [name: string]: unknown;
                };
                content: {
                    readonly "application/problem+json": components["schemas"]["Problem"];
                };
            };
            /** @description Something went wrong on our side (https://assay.dev/problems/internal). */
            readonly 500: {
                headers: {
                    readonly [name: string]: unknown;
                };
                content: {
                    readonly "application/problem+json": components["schemas"]["Problem"];
                };
            };
            /** @description The ingest queue is full (https://assay.dev/problems/queue-full). Storage is not available (https://assay.dev/problems/storage-unavailable). */
            readonly 503: {
                headers: {
                    readonly [name: string]: unknown;
                };
                content: {
                    readonly "application/problem+json": components["schemas"]["Problem"];
                };
            };
        };
    };
    readonly getConfig: {
        readonly parameters: {
            readonly query?: never;
            readonly header?: {
                /** @description The ETag of the last answer; 304 when nothing changed. */
                readonly "If-None-Match"?: string;
            };
            readonly path?: never;
            readonly cookie?: never;
        };
        readonly requestBody?: never;
        readonly responses: {
            /** @description The config, with a strong ETag. */
            readonly 200: {
                headers: {
                    readonly [name: string]: unknown;
                };
                content: {
                    readonly "application/json": components["schemas"]["ClientConfig"];
                };
            };
            /** @description Unchanged. */
            readonly 304: {
                headers: {
                    readonly [name: string]: unknown;
                };
                content?: never;
            };
            /** @description The credential is missing or not valid (https://assay.dev/problems/invalid-credential). */
            readonly 401: {
                headers: {
                    readonly [name: string]: unknown;
                };
                content: {
                    readonly "application/problem+json": components["schemas"]["Problem"];
                };
            };
            /** @description Too many requests (https://assay.dev/problems/rate-limited). */
            readonly 429: {
                headers: {
                    readonly [name: string]: unknown;
                };
                content: {
                    readonly "application/problem+json": components["schemas"]["Problem"];
                };
            };
            /** @description Something went wrong on our side (https://assay.dev/problems/internal). */
            readonly 500: {
                headers: {
                    readonly [name: string]: unknown;
                };
                content: {
                    readonly "application/problem+json": components["schemas"]["Problem"];
                };
            };
            /** @description Storage is not available (https://assay.dev/problems/storage-unavailable). */
            readonly 503: {
                headers: {
                    readonly [name: string]: unknown;
                };
                content: {
                    readonly "application/problem+json": components["schemas"]["Problem"];
                };
            };
        };
    };
    readonly contact: {
        readonly parameters: {
            readonly query?: never;
            readonly header?: never;
            readonly path?: never;
            readonly cookie?: never;
        };
        readonly requestBody: {
            readonly content: {
                readonly "application/json": components["schemas"]["ContactRequest"];
            };
        };
        readonly responses: {
            /** @description Taken. */
            readonly 202: {
                headers: {
                    readonly [name: string]: unknown;
                };
                content?: never;
            };
            /** @description The request body is not valid (https://assay.dev/problems/invalid-body). */
            readonly 400: {
                headers: {
                    readonly [name: string]: unknown;
                };
                content: {
                    readonly "application/problem+json": components["schemas"]["Problem"];
                };
            };
            /** @description The request body is too large (https://assay.dev/problems/body-too-large). */
            readonly 413: {
                headers: {
                    readonly [name: string]: unknown;
                };
                content: {
                    readonly "application/problem+json": components["schemas"]["Problem"];
                };
            };
            /** @description This media type is not read here (https://assay.dev/problems/unsupported-media-type). */
            readonly 415: {
                headers: {
                    readonly [name: string]: unknown;
                };
                content: {
                    readonly "application/problem+json": components["schemas"]["Problem"];
                };
            };
            /** @description Too many requests (https://assay.dev/problems/rate-limited). */
            readonly 429: {
                headers: {
                    readonly [name: string]: unknown;
                };
                content: {
                    readonly "application/problem+json": components["schemas"]["Problem"];
                };
            };
            /** @description Something went wrong on our side (https://assay.dev/problems/internal). */
            readonly 500: {
                headers: {
                    readonly [name: string]: unknown;
                };
                content: {
                    readonly "application/problem+json": components["schemas"]["Problem"];
                };
            };
            /** @description Storage is not available (https://assay.dev/problems/storage-unavailable). */
            readonly 503: {
                headers: {
                    readonly [name: string]: unknown;
                };
                content: {
                    readonly "application/problem+json": components["schemas"]["Problem"];
                };
            };
        };
    };
    readonly loadDemo: {
        readonly parameters: {
            readonly query?: never;
            readonly header?: never;
            readonly path?: never;
            readonly cookie?: never;
        };
        readonly requestBody?: never;
        readonly responses: {
            /** @description The demo experiment. */
            readonly 200: {
                headers: {
                    readonly [name: string]: unknown;
                };
                content: {
                    readonly "application/json": components["schemas"]["Experiment"];
                };
            };
            /** @description The credential is missing or not valid (https://assay.dev/problems/invalid-credential). */
            readonly 401: {
                headers: {
                    readonly [name: string]: unknown;
                };
                content: {
                    readonly "application/problem+json": components["schemas"]["Problem"];
                };
            };
            /** @description All seats of the plan are taken (https://assay.dev/problems/seat-required). The request comes from another origin (https://assay.dev/problems/foreign-origin). */
            readonly 403: {
                headers: {
                    readonly [name: string]: unknown;
                };
                content: {
                    readonly "application/problem+json": components["schemas"]["Problem"];
                };
            };
            /** @description Another experiment has this name (https://assay.dev/problems/experiment-name-taken). */
            readonly 409: {
                headers: {
                    readonly [name: string]: unknown;
                };
                content: {
                    readonly "application/problem+json": components["schemas"]["Problem"];
                };
            };
            /** @description Something went wrong on our side (https://assay.dev/problems/internal). */
            readonly 500: {
                headers: {
                    readonly [name: string]: unknown;
                };
                content: {
                    readonly "application/problem+json": components["schemas"]["Problem"];
                };
            };
            /** @description Storage is not available (https://assay.dev/problems/storage-unavailable). The identity provider does not answer (https://assay.dev/problems/identity-unavailable). */
            readonly 503: {
                headers: {
                    readonly [name: string]: unknown;
                };
                content: {
                    readonly "application/problem+json": components["schemas"]["Problem"];
                };
            };
        };
    };
    readonly removeDemo: {
        readonly parameters: {
            readonly query?: never;
            readonly header?: never;
            readonly path?: never;
            readonly cookie?: never;
        };
        readonly requestBody?: never;
        readonly responses: {
            /** @description It is gone. */
            readonly 204: {
                headers: {
                    readonly [name: string]: unknown;
                };
                content?: never;
            };
            /** @description The credential is missing or not valid (https://assay.dev/problems/invalid-credential). */
            readonly 401: {
                headers: {
                    readonly [name: string]: unknown;
                };
                content: {
                    readonly "application/problem+json": components["schemas"]["Problem"];
                };
            };
            /** @description All seats of the plan are taken (https://assay.dev/problems/seat-required). The request comes from another origin (https://assay.dev/problems/foreign-origin). */
            readonly 403: {
                headers: {
                    readonly [name: string]: unknown;
                };
                content: {
                    readonly "application/problem+json": components["schemas"]["Problem"];
                };
            };
            /** @description Something went wrong on our side (https://assay.dev/problems/internal). */
            readonly 500: {
                headers: {
                    readonly [name: string]: unknown;
                };
                content: {
                    readonly "application/problem+json": components["schemas"]["Problem"];
                };
            };
            /** @description Storage is not available (https://assay.dev/problems/storage-unavailable). The identity provider does not answer (https://assay.dev/problems/identity-unavailable). */
            readonly 503: {
                headers: {
                    readonly [name: string]: unknown;
                };
                content: {
                    readonly "application/problem+json": components["schemas"]["Problem"];
                };
            };
        };
    };
    readonly ingestEvents: {
        readonly parameters: {
            readonly query?: never;
            readonly header?: never;
            readonly path?: never;
            readonly cookie?: never;
        };
        readonly requestBody: {
            readonly content: {
                readonly "application/json": components["schemas"]["EventBatch"];
            };
        };
        readonly responses: {
            /** @description How many rows were accepted, and why others were not. */
            readonly 202: {
                headers: {
                    readonly [name: string]: unknown;
                };
                content: {
                    readonly "application/json": components["schemas"]["IngestAck"];
                };
            };
            /** @description The request body is not valid (https://assay.dev/problems/invalid-body). */
            readonly 400: {
                headers: {
                    readonly [name: string]: unknown;
                };
                content: {
                    readonly "application/problem+json": components["schemas"]["Problem"];
                };
            };
            /** @description The credential is missing or not valid (https://assay.dev/problems/invalid-credential). */
            readonly 401: {
                headers: {
                    readonly [name: string]: unknown;
                };
                content: {
                    readonly "application/problem+json": components["schemas"]["Problem"];
                };
            };
            /** @description The request body is too large (https://assay.dev/problems/body-too-large). */
            readonly 413: {
                headers: {
                    readonly [name: string]: unknown;
                };
                content: {
                    readonly "application/problem+json": components["schemas"]["Problem"];
                };
            };
            /** @description This media type is not read here (https://assay.dev/problems/unsupported-media-type). */
            readonly 415: {
                headers: {
                    readonly [name: string]: unknown;
                };
                content: {
                    readonly "application/problem+json": components["schemas"]["Problem"];
                };
            };
            /** @description Too many requests (https://assay.dev/problems/rate-limited). The monthly event allowance is used up (https://assay.dev/problems/allowance-exhausted). */
            readonly 429: {
                headers: {
                    readonly [name: string]: unknown;
                };
                content: {
                    readonly "application/problem+json": components["schemas"]["Problem"];
                };
            };
            /** @description Something went wrong on our side (https://assay.dev/problems/internal). */
            readonly 500: {
                headers: {
                    readonly [name: string]: unknown;
                };
                content: {
                    readonly "application/problem+json": components["schemas"]["Problem"];
                };
            };
            /** @description The ingest queue is full (https://assay.dev/problems/queue-full). Storage is not available (https://assay.dev/problems/storage-unavailable). */
            readonly 503: {
                headers: {
                    readonly [name: string]: unknown;
                };
                content: {
                    readonly "application/problem+json": components["schemas"]["Problem"];
                };
            };
        };
    };
    readonly importEvents: {
        readonly parameters: {
            readonly query?: {
                readonly dry_run?: "true" | "false";
            };
            readonly header?: never;
            readonly path?: never;
            readonly cookie?: never;
        };
        readonly requestBody: {
            readonly content: {
                readonly "application/json": components["schemas"]["ImportBody"];
                readonly "application/x-ndjson": string;
                readonly "text/csv": string;
            };
        };
        readonly responses: {
            /** @description How many rows were accepted, and why others were not. */
            readonly 200: {
                headers: {
                    readonly [name: string]: unknown;
                };
                content: {
                    readonly "application/json": components["schemas"]["ImportResult"];
                };
            };
            /** @description The request body is not valid (https://assay.dev/problems/invalid-body). A query parameter is not valid (https://assay.dev/problems/invalid-query). */
            readonly 400: {
                headers: {
                    readonly [name: string]: unknown;
                };
                content: {
                    readonly "application/problem+json": components["schemas"]["Problem"];
                };
            };
            /** @description The credential is missing or not valid (https://assay.dev/problems/invalid-credential). */
            readonly 401: {
                headers: {
                    readonly [name: string]: unknown;
                };
                content: {
                    readonly "application/problem+json": components["schemas"]["Problem"];
                };
            };
            /** @description The request body is too large (https://assay.dev/problems/body-too-large). */
            readonly 413: {
                headers: {
                    readonly [name: string]: unknown;
                };
                content: {
                    readonly "application/problem+json": components["schemas"]["Problem"];
                };
            };
            /** @description This media type is not read here (https://assay.dev/problems/unsupported-media-type). */
            readonly 415: {
                headers: {
                    readonly [name: string]: unknown;
                };
                content: {
                    readonly "application/problem+json": components["schemas"]["Problem"];
                };
            };
            /** @description Too many requests (https://assay.dev/problems/rate-limited). The monthly event allowance is used up (https://assay.dev/problems/allowance-exhausted). */
            readonly 429: {
                headers: {
                    readonly [name: string]: unknown;
                };
                content: {
                    readonly "application/problem+json": components["schemas"]["Problem"];
                };
            };
            /** @description Something went wrong on our side (https://assay.dev/problems/internal). */
            readonly 500: {
                headers: {
                    readonly [name: string]: unknown;
                };
                content: {
                    readonly "application/problem+json": components["schemas"]["Problem"];
                };
            };
            /** @description The ingest queue is full (https://assay.dev/problems/queue-full). Storage is not available (https://assay.dev/problems/storage-unavailable). */
            readonly 503: {
                headers: {
                    readonly [name: string]: unknown;
                };
                content: {
                    readonly "application/problem+json": components["schemas"]["Problem"];
                };
            };
        };
    };
    readonly listExperiments: {
        readonly parameters: {
            readonly query?: never;
            readonly header?: never;
            readonly path?: never;
            readonly cookie?: never;
        };
        readonly requestBody?: never;
        readonly responses: {
            /** @description The experiments. */
            readonly 200: {
                headers: {
                    readonly [name: string]: unknown;
                };
                content: {
                    readonly "application/json": readonly components["schemas"]["Experiment"][];
                };
            };
            /** @description The credential is missing or not valid (https://assay.dev/problems/invalid-credential). */
            readonly 401: {
                headers: {
                    readonly [name: string]: unknown;
                };
                content: {
                    readonly "application/problem+json": components["schemas"]["Problem"];
                };
            };
            /** @description All seats of the plan are taken (https://assay.dev/problems/seat-required). */
            readonly 403: {
                headers: {
                    readonly [name: string]: unknown;
                };
                content: {
                    readonly "application/problem+json": components["schemas"]["Problem"];
                };
            };
            /** @description Something went wrong on our side (https://assay.dev/problems/internal). */
            readonly 500: {
                headers: {
                    readonly [name: string]: unknown;
                };
                content: {
                    readonly "application/problem+json": components["schemas"]["Problem"];
                };
            };
            /** @description Storage is not available (https://assay.dev/problems/storage-unavailable). The identity provider does not answer (https://assay.dev/problems/identity-unavailable). */
            readonly 503: {
                headers: {
                    readonly [name: string]: unknown;
                };
                content: {
                    readonly "application/problem+json": components["schemas"]["Problem"];
                };
            };
        };
    };
    readonly createExperiment: {
        readonly parameters: {
            readonly query?: never;
            readonly header?: never;
            readonly path?: never;
            readonly cookie?: never;
        };
        readonly requestBody: {
            readonly content: {
                readonly "application/json": components["schemas"]["ExperimentConfig"];
            };
        };
        readonly responses: {
            /** @description The stored experiment. */
            readonly 201: {
                headers: {
                    readonly [name: string]: unknown;
                };
                content: {
                    readonly "application/json": components["schemas"]["Experiment"];
                };
            };
            /** @description The request body is not valid (https://assay.dev/problems/invalid-body). */
            readonly 400: {
                headers: {
                    readonly [name: string]: unknown;
                };
                content: {
                    readonly "application/problem+json": components["schemas"]["Problem"];
                };
            };
            /** @description The credential is missing or not valid (https://assay.dev/problems/invalid-credential). */
            readonly 401: {
                headers: {
                    readonly [name: string]: unknown;
                };
                content: {
                    readonly "application/problem+json": components["schemas"]["Problem"];
                };
            };
            /** @description All seats of the plan are taken (https://assay.dev/problems/seat-required). The request comes from another origin (https://assay.dev/problems/foreign-origin). */
            readonly 403: {
                headers: {
                    readonly [name: string]: unknown;
                };
                content: {
                    readonly "application/problem+json": components["schemas"]["Problem"];
                };
            };
            /** @description Another experiment has this name (https://assay.dev/problems/experiment-name-taken). */
            readonly 409: {
                headers: {
                    readonly [name: string]: unknown;
                };
                content: {
                    readonly "application/problem+json": components["schemas"]["Problem"];
                };
            };
            /** @description The request body is too large (https://assay.dev/problems/body-too-large). */
            readonly 413: {
                headers: {
                    readonly [name: string]: unknown;
                };
                content: {
                    readonly "application/problem+json": components["schemas"]["Problem"];
                };
            };
            /** @description This media type is not read here (https://assay.dev/problems/unsupported-media-type). */
            readonly 415: {
                headers: {
                    readonly [name: string]: unknown;
                };
                content: {
                    readonly "application/problem+json": components["schemas"]["Problem"];
                };
            };
            /** @description Something went wrong on our side (https://assay.dev/problems/internal). */
            readonly 500: {
                headers: {
                    readonly [name: string]: unknown;
                };
                content: {
                    readonly "application/problem+json": components["schemas"]["Problem"];
                };
            };
            /** @description Storage is not available (https://assay.dev/problems/storage-unavailable). The identity provider does not answer (https://assay.dev/problems/identity-unavailable). */
            readonly 503: {
                headers: {
                    readonly [name: string]: unknown;
                };
                content: {
                    readonly "application/problem+json": components["schemas"]["Problem"];
                };
            };
        };
    };
    readonly getExperiment: {
        readonly parameters: {
            readonly query?: never;
            readonly header?: never;
            readonly path: {
                readonly id: string;
            };
            readonly cookie?: never;
        };
        readonly requestBody?: never;
        readonly responses: {
            /** @description The experiment; its ETag is the version. */
            readonly 200: {
                headers: {
                    readonly [name: string]: unknown;
                };
                content: {
                    readonly "application/json": components["schemas"]["Experiment"];
                };
            };
            /** @description The credential is missing or not valid (https://assay.dev/problems/invalid-credential). */
            readonly 401: {
                headers: {
                    readonly [name: string]: unknown;
                };
                content: {
                    readonly "application/problem+json": components["schemas"]["Problem"];
                };
            };
            /** @description All seats of the plan are taken (https://assay.dev/problems/seat-required). */
            readonly 403: {
                headers: {
                    readonly [name: string]: unknown;
                };
                content: {
                    readonly "application/problem+json": components["schemas"]["Problem"];
                };
            };
            /** @description There is no such experiment (https://assay.dev/problems/experiment-not-found). */
            readonly 404: {
                headers: {
                    readonly [name: string]: unknown;
                };
                content: {
                    readonly "application/problem+json": components["schemas"]["Problem"];
                };
            };
            /** @description Something went wrong on our side (https://assay.dev/problems/internal). */
            readonly 500: {
                headers: {
                    readonly [name: string]: unknown;
                };
                content: {
                    readonly "application/problem+json": components["schemas"]["Problem"];
                };
            };
            /** @description Storage is not available (https://assay.dev/problems/storage-unavailable). The identity provider does not answer (https://assay.dev/problems/identity-unavailable). */
            readonly 503: {
                headers: {
                    readonly [name: string]: unknown;
                };
                content: {
                    readonly "application/problem+json": components["schemas"]["Problem"];
                };
            };
        };
    };
    readonly updateExperiment: {
        readonly parameters: {
            readonly query?: never;
            readonly header?: {
                /** @description The version that the change was made from; a newer one answers 412. */
                readonly "If-Match"?: string;
            };
            readonly path: {
                readonly id: string;
            };
            readonly cookie?: never;
        };
        readonly requestBody: {
            readonly content: {
                readonly "application/json": components["schemas"]["ExperimentChange"];
            };
        };
        readonly responses: {
            /** @description The new version. */
            readonly 200: {
                headers: {
                    readonly [name: string]: unknown;
                };
                content: {
                    readonly "application/json": components["schemas"]["Experiment"];
                };
            };
            /** @description The request body is not valid (https://assay.dev/problems/invalid-body). */
            readonly 400: {
                headers: {
                    readonly [name: string]: unknown;
                };
                content: {
                    readonly "application/problem+json": components["schemas"]["Problem"];
                };
            };
            /** @description The credential is missing or not valid (https://assay.dev/problems/invalid-credential). */
            readonly 401: {
                headers: {
                    readonly [name: string]: unknown;
                };
                content: {
                    readonly "application/problem+json": components["schemas"]["Problem"];
                };
            };
            /** @description All seats of the plan are taken (https://assay.dev/problems/seat-required). The request comes from another origin (https://assay.dev/problems/foreign-origin). */
            readonly 403: {
                headers: {
                    readonly [name: string]: unknown;
                };
                content: {
                    readonly "application/problem+json": components["schemas"]["Problem"];
                };
            };
            /** @description There is no such experiment (https://assay.dev/problems/experiment-not-found). */
            readonly 404: {
                headers: {
                    readonly [name: string]: unknown;
                };
                content: {
                    readonly "application/problem+json": components["schemas"]["Problem"];
                };
            };
            /** @description Another experiment has this name (https://assay.dev/problems/experiment-name-taken). */
            readonly 409: {
                headers: {
                    readonly [name: string]: unknown;
                };
                content: {
                    readonly "application/problem+json": components["schemas"]["Problem"];
                };
            };
            /** @description The experiment has a newer version (https://assay.dev/problems/version-mismatch). */
            readonly 412: {
                headers: {
                    readonly [name: string]: unknown;
                };
                content: {
                    readonly "application/problem+json": components["schemas"]["Problem"];
                };
            };
            /** @description The request body is too large (https://assay.dev/problems/body-too-large). */
            readonly 413: {
                headers: {
                    readonly [name: string]: unknown;
                };
                content: {
                    readonly "application/problem+json": components["schemas"]["Problem"];
                };
            };
            /** @description This media type is not read here (https://assay.dev/problems/unsupported-media-type). */
            readonly 415: {
                headers: {
                    readonly [name: string]: unknown;
                };
                content: {
                    readonly "application/problem+json": components["schemas"]["Problem"];
                };
            };
            /** @description Something went wrong on our side (https://assay.dev/problems/internal). */
            readonly 500: {
                headers: {
                    readonly [name: string]: unknown;
                };
                content: {
                    readonly "application/problem+json": components["schemas"]["Problem"];
                };
            };
            /** @description Storage is not available (https://assay.dev/problems/storage-unavailable). The identity provider does not answer (https://assay.dev/problems/identity-unavailable). */
            readonly 503: {
                headers: {
                    readonly [name: string]: unknown;
                };
                content: {
                    readonly "application/problem+json": components["schemas"]["Problem"];
                };
            };
        };
    };
    readonly analyzeExperiment: {
        readonly parameters: {
            readonly query?: never;
            readonly header?: never;
            readonly path: {
                readonly id: string;
            };
            readonly cookie?: never;
        };
        readonly requestBody?: never;
        readonly responses: {
            /** @description The preliminary results. */
            readonly 200: {
                headers: {
                    readonly [name: string]: unknown;
                };
                content: {
                    readonly "application/json": components["schemas"]["Results"];
                };
            };
            /** @description The credential is missing or not valid (https://assay.dev/problems/invalid-credential). */
            readonly 401: {
                headers: {
                    readonly [name: string]: unknown;
                };
                content: {
                    readonly "application/problem+json": components["schemas"]["Problem"];
                };
            };
            /** @description All seats of the plan are taken (https://assay.dev/problems/seat-required). The request comes from another origin (https://assay.dev/problems/foreign-origin). */
            readonly 403: {
                headers: {
                    readonly [name: string]: unknown;
                };
                content: {
                    readonly "application/problem+json": components["schemas"]["Problem"];
                };
            };
            /** @description There is no such experiment (https://assay.dev/problems/experiment-not-found). */
            readonly 404: {
                headers: {
                    readonly [name: string]: unknown;
                };
                content: {
                    readonly "application/problem+json": components["schemas"]["Problem"];
                };
            };
            /** @description Something went wrong on our side (https://assay.dev/problems/internal). */
            readonly 500: {
                headers: {
                    readonly [name: string]: unknown;
                };
                content: {
                    readonly "application/problem+json": components["schemas"]["Problem"];
                };
            };
            /** @description Storage is not available (https://assay.dev/problems/storage-unavailable). The identity provider does not answer (https://assay.dev/problems/identity-unavailable). */
            readonly 503: {
                headers: {
                    readonly [name: string]: unknown;
                };
                content: {
                    readonly "application/problem+json": components["schemas"]["Problem"];
                };
            };
        };
    };
    readonly listStoredEvents: {
        readonly parameters: {
            readonly query?: {
                readonly cursor?: string;
                readonly direction?: "asc" | "desc";
                readonly error?: "true" | "false";
                readonly limit?: number;
                readonly model?: string;
                readonly sort?: "occurred_at" | "latency_ms" | "time_to_first_token_ms" | "input_tokens" | "output_tokens" | "cost_usd";
                readonly text?: string;
                readonly type?: "exposure" | "model_call" | "business_event";
                readonly user_id?: string;
                readonly variant?: string;
            };
            readonly header?: never;
            readonly path: {
                readonly id: string;
            };
            readonly cookie?: never;
        };
        readonly requestBody?: never;
        readonly responses: {
            /** @description The events. */
            readonly 200: {
                headers: {
                    readonly [name: string]: unknown;
                };
                content: {
                    readonly "application/json": components["schemas"]["StoredEventPage"];
                };
            };
            /** @description A query parameter is not valid (https://assay.dev/problems/invalid-query). */
            readonly 400: {
                headers: {
                    readonly [name: string]: unknown;
                };
                content: {
                    readonly "application/problem+json": components["schemas"]["Problem"];
                };
            };
            /** @description The credential is missing or not valid (https://assay.dev/problems/invalid-credential). */
            readonly 401: {
                headers: {
                    readonly [name: string]: unknown;
                };
                content: {
                    readonly "application/problem+json": components["schemas"]["Problem"];
                };
            };
            /** @description All seats of the plan are taken (https://assay.dev/problems/seat-required). */
            readonly 403: {
                headers: {
                    readonly [name: string]: unknown;
                };
                content: {
                    readonly "application/problem+json": components["schemas"]["Problem"];
                };
            };
            /** @description There is no such experiment (https://assay.dev/problems/experiment-not-found). */
            readonly 404: {
                headers: {
                    readonly [name: string]: unknown;
                };
                content: {
                    readonly "application/problem+json": components["schemas"]["Problem"];
                };
            };
            /** @description Something went wrong on our side (https://assay.dev/problems/internal). */
            readonly 500: {
                headers: {
                    readonly [name: string]: unknown;
                };
                content: {
                    readonly "application/problem+json": components["schemas"]["Problem"];
                };
            };
            /** @description Storage is not available (https://assay.dev/problems/storage-unavailable). The identity provider does not answer (https://assay.dev/problems/identity-unavailable). */
            readonly 503: {
                headers: {
                    readonly [name: string]: unknown;
                };
                content: {
                    readonly "application/problem+json": components["schemas"]["Problem"];
                };
            };
        };
    };
    readonly getStoredEvent: {
        readonly parameters: {
            readonly query?: never;
            readonly header?: never;
            readonly path: {
                readonly event_id: string;
                readonly id: string;
            };
            readonly cookie?: never;
        };
        readonly requestBody?: never;
        readonly responses: {
            /** @description The event. */
            readonly 200: {
                headers: {
                    readonly [name: string]: unknown;
                };
                content: {
                    readonly "application/json": components["schemas"]["StoredEventDetail"];
                };
            };
            /** @description The credential is missing or not valid (https://assay.dev/problems/invalid-credential). */
            readonly 401: {
                headers: {
                    readonly [name: string]: unknown;
                };
                content: {
                    readonly "application/problem+json": components["schemas"]["Problem"];
                };
            };
            /** @description All seats of the plan are taken (https://assay.dev/problems/seat-required). */
            readonly 403: {
                headers: {
                    readonly [name: string]: unknown;
                };
                content: {
                    readonly "application/problem+json": components["schemas"]["Problem"];
                };
            };
            /** @description There is no such experiment (https://assay.dev/problems/experiment-not-found). There is no such event (https://assay.dev/problems/event-not-found). */
            readonly 404: {
                headers: {
                    readonly [name: string]: unknown;
                };
                content: {
                    readonly "application/problem+json": components["schemas"]["Problem"];
                };
            };
            /** @description Something went wrong on our side (https://assay.dev/problems/internal). */
            readonly 500: {
                headers: {
                    readonly [name: string]: unknown;
                };
                content: {
                    readonly "application/problem+json": components["schemas"]["Problem"];
                };
            };
            /** @description Storage is not available (https://assay.dev/problems/storage-unavailable). The identity provider does not answer (https://assay.dev/problems/identity-unavailable). */
            readonly 503: {
                headers: {
                    readonly [name: string]: unknown;
                };
                content: {
                    readonly "application/problem+json": components["schemas"]["Problem"];
                };
            };
        };
    };
    readonly getExperimentHealth: {
        readonly parameters: {
            readonly query?: never;
            readonly header?: never;
            readonly path: {
                readonly id: string;
            };
            readonly cookie?: never;
        };
        readonly requestBody?: never;
        readonly responses: {
            /** @description The checks. */
            readonly 200: {
                headers: {
                    readonly [name: string]: unknown;
                };
                content: {
                    readonly "application/json": components["schemas"]["ExperimentHealth"];
                };
            };
            /** @description The credential is missing or not valid (https://assay.dev/problems/invalid-credential). */
            readonly 401: {
                headers: {
                    readonly [name: string]: unknown;
                };
                content: {
                    readonly "application/problem+json": components["schemas"]["Problem"];
                };
            };
            /** @description All seats of the plan are taken (https://assay.dev/problems/seat-required). */
            readonly 403: {
                headers: {
                    readonly [name: string]: unknown;
                };
                content: {
                    readonly "application/problem+json": components["schemas"]["Problem"];
                };
            };
            /** @description There is no such experiment (https://assay.dev/problems/experiment-not-found). */
            readonly 404: {
                headers: {
                    readonly [name: string]: unknown;
                };
                content: {
                    readonly "application/problem+json": components["schemas"]["Problem"];
                };
            };
            /** @description Something went wrong on our side (https://assay.dev/problems/internal). */
            readonly 500: {
                headers: {
                    readonly [name: string]: unknown;
                };
                content: {
                    readonly "application/problem+json": components["schemas"]["Problem"];
                };
            };
            /** @description Storage is not available (https://assay.dev/problems/storage-unavailable). The identity provider does not answer (https://assay.dev/problems/identity-unavailable). */
            readonly 503: {
                headers: {
                    readonly [name: string]: unknown;
                };
                content: {
                    readonly "application/problem+json": components["schemas"]["Problem"];
                };
            };
        };
    };
    readonly listJudgements: {
        readonly parameters: {
            readonly query?: {
                readonly cursor?: string;
                readonly limit?: number;
                readonly metric?: string;
                readonly state?: "pending" | "scored" | "failed";
            };
            readonly header?: never;
            readonly path: {
                readonly id: string;
            };
            readonly cookie?: never;
        };
        readonly requestBody?: never;
        readonly responses: {
            /** @description The judgements, of every version of the metrics. */
            readonly 200: {
                headers: {
                    readonly [name: string]: unknown;
                };
                content: {
                    readonly "application/json": components["schemas"]["JudgementPage"];
                };
            };
            /** @description A query parameter is not valid (https://assay.dev/problems/invalid-query). */
            readonly 400: {
                headers: {
                    readonly [name: string]: unknown;
                };
                content: {
                    readonly "application/problem+json": components["schemas"]["Problem"];
                };
            };
            /** @description The credential is missing or not valid (https://assay.dev/problems/invalid-credential). */
            readonly 401: {
                headers: {
                    readonly [name: string]: unknown;
                };
                content: {
                    readonly "application/problem+json": components["schemas"]["Problem"];
                };
            };
            /** @description All seats of the plan are taken (https://assay.dev/problems/seat-required). */
            readonly 403: {
                headers: {
                    readonly [name: string]: unknown;
                };
                content: {
                    readonly "application/problem+json": components["schemas"]["Problem"];
                };
            };
            /** @description There is no such experiment (https://assay.dev/problems/experiment-not-found). */
            readonly 404: {
                headers: {
                    readonly [name: string]: unknown;
                };
                content: {
                    readonly "application/problem+json": components["schemas"]["Problem"];
                };
            };
            /** @description Something went wrong on our side (https://assay.dev/problems/internal). */
            readonly 500: {
                headers: {
                    readonly [name: string]: unknown;
                };
                content: {
                    readonly "application/problem+json": components["schemas"]["Problem"];
                };
            };
            /** @description Storage is not available (https://assay.dev/problems/storage-unavailable). The identity provider does not answer (https://assay.dev/problems/identity-unavailable). */
            readonly 503: {
                headers: {
                    readonly [name: string]: unknown;
                };
                content: {
                    readonly "application/problem+json": components["schemas"]["Problem"];
                };
            };
        };
    };
    readonly retryJudgements: {
        readonly parameters: {
            readonly query?: never;
            readonly header?: never;
            readonly path: {
                readonly id: string;
            };
            readonly cookie?: never;
        };
        readonly requestBody: {
            readonly content: {
                readonly "application/json": components["schemas"]["RetryJudgementsRequest"];
            };
        };
        readonly responses: {
            /** @description They wait for the judge. */
            readonly 202: {
                headers: {
                    readonly [name: string]: unknown;
                };
                content: {
                    readonly "application/json": components["schemas"]["RetriedJudgements"];
                };
            };
            /** @description The request body is not valid (https://assay.dev/problems/invalid-body). */
            readonly 400: {
                headers: {
                    readonly [name: string]: unknown;
                };
                content: {
                    readonly "application/problem+json": components["schemas"]["Problem"];
                };
            };
            /** @description The credential is missing or not valid (https://assay.dev/problems/invalid-credential). */
            readonly 401: {
                headers: {
                    readonly [name: string]: unknown;
                };
                content: {
                    readonly "application/problem+json": components["schemas"]["Problem"];
                };
            };
            /** @description All seats of the plan are taken (https://assay.dev/problems/seat-required). The request comes from another origin (https://assay.dev/problems/foreign-origin). */
            readonly 403: {
                headers: {
                    readonly [name: string]: unknown;
                };
                content: {
                    readonly "application/problem+json": components["schemas"]["Problem"];
                };
            };
            /** @description There is no such experiment (https://assay.dev/problems/experiment-not-found). */
            readonly 404: {
                headers: {
                    readonly [name: string]: unknown;
                };
                content: {
                    readonly "application/problem+json": components["schemas"]["Problem"];
                };
            };
            /** @description The request body is too large (https://assay.dev/problems/body-too-large). */
            readonly 413: {
                headers: {
                    readonly [name: string]: unknown;
                };
                content: {
                    readonly "application/problem+json": components["schemas"]["Problem"];
                };
            };
            /** @description This media type is not read here (https://assay.dev/problems/unsupported-media-type). */
            readonly 415: {
                headers: {
                    readonly [name: string]: unknown;
                };
                content: {
                    readonly "application/problem+json": components["schemas"]["Problem"];
                };
            };
            /** @description Something went wrong on our side (https://assay.dev/problems/internal). */
            readonly 500: {
                headers: {
                    readonly [name: string]: unknown;
                };
                content: {
                    readonly "application/problem+json": components["schemas"]["Problem"];
                };
            };
            /** @description Storage is not available (https://assay.dev/problems/storage-unavailable). The identity provider does not answer (https://assay.dev/problems/identity-unavailable). */
            readonly 503: {
                headers: {
                    readonly [name: string]: unknown;
                };
                content: {
                    readonly "application/problem+json": components["schemas"]["Problem"];
                };
            };
        };
    };
    readonly listLabels: {
        readonly parameters: {
            readonly query?: {
                readonly cursor?: string;
                readonly disagreeing?: "true";
                readonly limit?: number;
                readonly metric?: string;
            };
            readonly header?: never;
            readonly path: {
                readonly id: string;
            };
            readonly cookie?: never;
        };
        readonly requestBody?: never;
        readonly responses: {
            /** @description The labels. */
            readonly 200: {
                headers: {
                    readonly [name: string]: unknown;
                };
                content: {
                    readonly "application/json": components["schemas"]["LabelPage"];
                };
            };
            /** @description A query parameter is not valid (https://assay.dev/problems/invalid-query). */
            readonly 400: {
                headers: {
                    readonly [name: string]: unknown;
                };
                content: {
                    readonly "application/problem+json": components["schemas"]["Problem"];
                };
            };
            /** @description The credential is missing or not valid (https://assay.dev/problems/invalid-credential). */
            readonly 401: {
                headers: {
                    readonly [name: string]: unknown;
                };
                content: {
                    readonly "application/problem+json": components["schemas"]["Problem"];
                };
            };
            /** @description All seats of the plan are taken (https://assay.dev/problems/seat-required). */
            readonly 403: {
                headers: {
                    readonly [name: string]: unknown;
                };
                content: {
                    readonly "application/problem+json": components["schemas"]["Problem"];
                };
            };
            /** @description There is no such experiment (https://assay.dev/problems/experiment-not-found). */
            readonly 404: {
                headers: {
                    readonly [name: string]: unknown;
                };
                content: {
                    readonly "application/problem+json": components["schemas"]["Problem"];
                };
            };
            /** @description Something went wrong on our side (https://assay.dev/problems/internal). */
            readonly 500: {
                headers: {
                    readonly [name: string]: unknown;
                };
                content: {
                    readonly "application/problem+json": components["schemas"]["Problem"];
                };
            };
            /** @description Storage is not available (https://assay.dev/problems/storage-unavailable). The identity provider does not answer (https://assay.dev/problems/identity-unavailable). */
            readonly 503: {
                headers: {
                    readonly [name: string]: unknown;
                };
                content: {
                    readonly "application/problem+json": components["schemas"]["Problem"];
                };
            };
        };
    };
    readonly createLabel: {
        readonly parameters: {
            readonly query?: never;
            readonly header?: never;
            readonly path: {
                readonly id: string;
            };
            readonly cookie?: never;
        };
        readonly requestBody: {
            readonly content: {
                readonly "application/json": components["schemas"]["LabelRequest"];
            };
        };
        readonly responses: {
            /** @description The label. */
            readonly 201: {
                headers: {
                    readonly [name: string]: unknown;
                };
                content: {
                    readonly "application/json": components["schemas"]["Label"];
                };
            };
            /** @description The request body is not valid (https://assay.dev/problems/invalid-body). */
            readonly 400: {
                headers: {
                    readonly [name: string]: unknown;
                };
                content: {
                    readonly "application/problem+json": components["schemas"]["Problem"];
                };
            };
            /** @description The credential is missing or not valid (https://assay.dev/problems/invalid-credential). */
            readonly 401: {
                headers: {
                    readonly [name: string]: unknown;
                };
                content: {
                    readonly "application/problem+json": components["schemas"]["Problem"];
                };
            };
            /** @description All seats of the plan are taken (https://assay.dev/problems/seat-required). The request comes from another origin (https://assay.dev/problems/foreign-origin). */
            readonly 403: {
                headers: {
                    readonly [name: string]: unknown;
                };
                content: {
                    readonly "application/problem+json": components["schemas"]["Problem"];
                };
            };
            /** @description There is no such experiment (https://assay.dev/problems/experiment-not-found). */
            readonly 404: {
                headers: {
                    readonly [name: string]: unknown;
                };
                content: {
                    readonly "application/problem+json": components["schemas"]["Problem"];
                };
            };
            /** @description The request body is too large (https://assay.dev/problems/body-too-large). */
            readonly 413: {
                headers: {
                    readonly [name: string]: unknown;
                };
                content: {
                    readonly "application/problem+json": components["schemas"]["Problem"];
                };
            };
            /** @description This media type is not read here (https://assay.dev/problems/unsupported-media-type). */
            readonly 415: {
                headers: {
                    readonly [name: string]: unknown;
                };
                content: {
                    readonly "application/problem+json": components["schemas"]["Problem"];
                };
            };
            /** @description Something went wrong on our side (https://assay.dev/problems/internal). */
            readonly 500: {
                headers: {
                    readonly [name: string]: unknown;
                };
                content: {
                    readonly "application/problem+json": components["schemas"]["Problem"];
                };
            };
            /** @description Storage is not available (https://assay.dev/problems/storage-unavailable). The identity provider does not answer (https://assay.dev/problems/identity-unavailable). */
            readonly 503: {
                headers: {
                    readonly [name: string]: unknown;
                };
                content: {
                    readonly "application/problem+json": components["schemas"]["Problem"];
                };
            };
        };
    };
    readonly getAgreement: {
        readonly parameters: {
            readonly query: {
                readonly metric: string;
            };
            readonly header?: never;
            readonly path: {
                readonly id: string;
            };
            readonly cookie?: never;
        };
        readonly requestBody?: never;
        readonly responses: {
            /** @description Kappa with its interval, and the confusion matrices. */
            readonly 200: {
                headers: {
                    readonly [name: string]: unknown;
                };
                content: {
                    readonly "application/json": components["schemas"]["Agreement"];
                };
            };
            /** @description A query parameter is not valid (https://assay.dev/problems/invalid-query). */
            readonly 400: {
                headers: {
                    readonly [name: string]: unknown;
                };
                content: {
                    readonly "application/problem+json": components["schemas"]["Problem"];
                };
            };
            /** @description The credential is missing or not valid (https://assay.dev/problems/invalid-credential). */
            readonly 401: {
                headers: {
                    readonly [name: string]: unknown;
                };
                content: {
                    readonly "application/problem+json": components["schemas"]["Problem"];
                };
            };
            /** @description All seats of the plan are taken (https://assay.dev/problems/seat-required). */
            readonly 403: {
                headers: {
                    readonly [name: string]: unknown;
                };
                content: {
                    readonly "application/problem+json": components["schemas"]["Problem"];
                };
            };
            /** @description There is no such experiment (https://assay.dev/problems/experiment-not-found). */
            readonly 404: {
                headers: {
                    readonly [name: string]: unknown;
                };
                content: {
                    readonly "application/problem+json": components["schemas"]["Problem"];
                };
            };
            /** @description Something went wrong on our side (https://assay.dev/problems/internal). */
            readonly 500: {
                headers: {
                    readonly [name: string]: unknown;
                };
                content: {
                    readonly "application/problem+json": components["schemas"]["Problem"];
                };
            };
            /** @description Storage is not available (https://assay.dev/problems/storage-unavailable). The identity provider does not answer (https://assay.dev/problems/identity-unavailable). */
            readonly 503: {
                headers: {
                    readonly [name: string]: unknown;
                };
                content: {
                    readonly "application/problem+json": components["schemas"]["Problem"];
                };
            };
        };
    };
    readonly getLabelQueue: {
        readonly parameters: {
            readonly query: {
                readonly limit?: number;
                readonly metric: string;
            };
            readonly header?: never;
            readonly path: {
                readonly id: string;
            };
            readonly cookie?: never;
        };
        readonly requestBody?: never;
        readonly responses: {
            /** @description The next calls, and how many labels are needed. */
            readonly 200: {
                headers: {
                    readonly [name: string]: unknown;
                };
                content: {
                    readonly "application/json": components["schemas"]["LabelQueue"];
                };
            };
            /** @description A query parameter is not valid (https://assay.dev/problems/invalid-query). */
            readonly 400: {
                headers: {
                    readonly [name: string]: unknown;
                };
                content: {
                    readonly "application/problem+json": components["schemas"]["Problem"];
                };
            };
            /** @description The credential is missing or not valid (https://assay.dev/problems/invalid-credential). */
            readonly 401: {
                headers: {
                    readonly [name: string]: unknown;
                };
                content: {
                    readonly "application/problem+json": components["schemas"]["Problem"];
                };
            };
            /** @description All seats of the plan are taken (https://assay.dev/problems/seat-required). */
            readonly 403: {
                headers: {
                    readonly [name: string]: unknown;
                };
                content: {
                    readonly "application/problem+json": components["schemas"]["Problem"];
                };
            };
            /** @description There is no such experiment (https://assay.dev/problems/experiment-not-found). */
            readonly 404: {
                headers: {
                    readonly [name: string]: unknown;
                };
                content: {
                    readonly "application/problem+json": components["schemas"]["Problem"];
                };
            };
            /** @description Something went wrong on our side (https://assay.dev/problems/internal). */
            readonly 500: {
                headers: {
                    readonly [name: string]: unknown;
                };
                content: {
                    readonly "application/problem+json": components["schemas"]["Problem"];
                };
            };
            /** @description Storage is not available (https://assay.dev/problems/storage-unavailable). The identity provider does not answer (https://assay.dev/problems/identity-unavailable). */
            readonly 503: {
                headers: {
                    readonly [name: string]: unknown;
                };
                content: {
                    readonly "application/problem+json": components["schemas"]["Problem"];
                };
            };
        };
    };
    readonly getLiveStats: {
        readonly parameters: {
            readonly query?: never;
            readonly header?: never;
            readonly path: {
                readonly id: string;
            };
            readonly cookie?: never;
        };
        readonly requestBody?: never;
        readonly responses: {
            /** @description The live view. */
            readonly 200: {
                headers: {
                    readonly [name: string]: unknown;
                };
                content: {
                    readonly "application/json": components["schemas"]["LiveStats"];
                };
            };
            /** @description The credential is missing or not valid (https://assay.dev/problems/invalid-credential). */
            readonly 401: {
                headers: {
                    readonly [name: string]: unknown;
                };
                content: {
                    readonly "application/problem+json": components["schemas"]["Problem"];
                };
            };
            /** @description All seats of the plan are taken (https://assay.dev/problems/seat-required). */
            readonly 403: {
                headers: {
                    readonly [name: string]: unknown;
                };
                content: {
                    readonly "application/problem+json": components["schemas"]["Problem"];
                };
            };
            /** @description There is no such experiment (https://assay.dev/problems/experiment-not-found). */
            readonly 404: {
                headers: {
                    readonly [name: string]: unknown;
                };
                content: {
                    readonly "application/problem+json": components["schemas"]["Problem"];
                };
            };
            /** @description Something went wrong on our side (https://assay.dev/problems/internal). */
            readonly 500: {
                headers: {
                    readonly [name: string]: unknown;
                };
                content: {
                    readonly "application/problem+json": components["schemas"]["Problem"];
                };
            };
            /** @description Storage is not available (https://assay.dev/problems/storage-unavailable). The identity provider does not answer (https://assay.dev/problems/identity-unavailable). */
            readonly 503: {
                headers: {
                    readonly [name: string]: unknown;
                };
                content: {
                    readonly "application/problem+json": components["schemas"]["Problem"];
                };
            };
        };
    };
    readonly getExperimentOverview: {
        readonly parameters: {
            readonly query?: never;
            readonly header?: never;
            readonly path: {
                readonly id: string;
            };
            readonly cookie?: never;
        };
        readonly requestBody?: never;
        readonly responses: {
            /** @description The state and the figures behind it. */
            readonly 200: {
                headers: {
                    readonly [name: string]: unknown;
                };
                content: {
                    readonly "application/json": components["schemas"]["ExperimentOverview"];
                };
            };
            /** @description The credential is missing or not valid (https://assay.dev/problems/invalid-credential). */
            readonly 401: {
                headers: {
                    readonly [name: string]: unknown;
                };
                content: {
                    readonly "application/problem+json": components["schemas"]["Problem"];
                };
            };
            /** @description All seats of the plan are taken (https://assay.dev/problems/seat-required). */
            readonly 403: {
                headers: {
                    readonly [name: string]: unknown;
                };
                content: {
                    readonly "application/problem+json": components["schemas"]["Problem"];
                };
            };
            /** @description There is no such experiment (https://assay.dev/problems/experiment-not-found). */
            readonly 404: {
                headers: {
                    readonly [name: string]: unknown;
                };
                content: {
                    readonly "application/problem+json": components["schemas"]["Problem"];
                };
            };
            /** @description Something went wrong on our side (https://assay.dev/problems/internal). */
            readonly 500: {
                headers: {
                    readonly [name: string]: unknown;
                };
                content: {
                    readonly "application/problem+json": components["schemas"]["Problem"];
                };
            };
            /** @description Storage is not available (https://assay.dev/problems/storage-unavailable). The identity provider does not answer (https://assay.dev/problems/identity-unavailable). */
            readonly 503: {
                headers: {
                    readonly [name: string]: unknown;
                };
                content: {
                    readonly "application/problem+json": components["schemas"]["Problem"];
                };
            };
        };
    };
    readonly planExperiment: {
        readonly parameters: {
            readonly query?: never;
            readonly header?: never;
            readonly path: {
                readonly id: string;
            };
            readonly cookie?: never;
        };
        readonly requestBody?: {
            readonly content: {
                readonly "application/json": components["schemas"]["PlanRequest"];
            };
        };
        readonly responses: {
            /** @description One row per metric and treatment. */
            readonly 200: {
                headers: {
                    readonly [name: string]: unknown;
                };
                content: {
                    readonly "application/json": components["schemas"]["ExperimentPlan"];
                };
            };
            /** @description The request body is not valid (https://assay.dev/problems/invalid-body). */
            readonly 400: {
                headers: {
                    readonly [name: string]: unknown;
                };
                content: {
                    readonly "application/problem+json": components["schemas"]["Problem"];
                };
            };
            /** @description The credential is missing or not valid (https://assay.dev/problems/invalid-credential). */
            readonly 401: {
                headers: {
                    readonly [name: string]: unknown;
                };
                content: {
                    readonly "application/problem+json": components["schemas"]["Problem"];
                };
            };
            /** @description All seats of the plan are taken (https://assay.dev/problems/seat-required). The request comes from another origin (https://assay.dev/problems/foreign-origin). */
            readonly 403: {
                headers: {
                    readonly [name: string]: unknown;
                };
                content: {
                    readonly "application/problem+json": components["schemas"]["Problem"];
                };
            };
            /** @description There is no such experiment (https://assay.dev/problems/experiment-not-found). */
            readonly 404: {
                headers: {
                    readonly [name: string]: unknown;
                };
                content: {
                    readonly "application/problem+json": components["schemas"]["Problem"];
                };
            };
            /** @description The request body is too large (https://assay.dev/problems/body-too-large). */
            readonly 413: {
                headers: {
                    readonly [name: string]: unknown;
                };
                content: {
                    readonly "application/problem+json": components["schemas"]["Problem"];
                };
            };
            /** @description This media type is not read here (https://assay.dev/problems/unsupported-media-type). */
            readonly 415: {
                headers: {
                    readonly [name: string]: unknown;
                };
                content: {
                    readonly "application/problem+json": components["schemas"]["Problem"];
                };
            };
            /** @description Something went wrong on our side (https://assay.dev/problems/internal). */
            readonly 500: {
                headers: {
                    readonly [name: string]: unknown;
                };
                content: {
                    readonly "application/problem+json": components["schemas"]["Problem"];
                };
            };
            /** @description Storage is not available (https://assay.dev/problems/storage-unavailable). The identity provider does not answer (https://assay.dev/problems/identity-unavailable). */
            readonly 503: {
                headers: {
                    readonly [name: string]: unknown;
                };
                content: {
                    readonly "application/problem+json": components["schemas"]["Problem"];
                };
            };
        };
    };
    readonly getResults: {
        readonly parameters: {
            readonly query?: {
                readonly day?: string;
            };
            readonly header?: never;
            readonly path: {
                readonly id: string;
            };
            readonly cookie?: never;
        };
        readonly requestBody?: never;
        readonly responses: {
            /** @description The results. */
            readonly 200: {
                headers: {
                    readonly [name: string]: unknown;
                };
                content: {
                    readonly "application/json": components["schemas"]["Results"];
                };
            };
            /** @description A query parameter is not valid (https://assay.dev/problems/invalid-query). */
            readonly 400: {
                headers: {
                    readonly [name: string]: unknown;
                };
                content: {
                    readonly "application/problem+json": components["schemas"]["Problem"];
                };
            };
            /** @description The credential is missing or not valid (https://assay.dev/problems/invalid-credential). */
            readonly 401: {
                headers: {
                    readonly [name: string]: unknown;
                };
                content: {
                    readonly "application/problem+json": components["schemas"]["Problem"];
                };
            };
            /** @description All seats of the plan are taken (https://assay.dev/problems/seat-required). */
            readonly 403: {
                headers: {
                    readonly [name: string]: unknown;
                };
                content: {
                    readonly "application/problem+json": components["schemas"]["Problem"];
                };
            };
            /** @description There is no such experiment (https://assay.dev/problems/experiment-not-found). Results are not computed yet (https://assay.dev/problems/results-not-ready). There is no run under this label (https://assay.dev/problems/run-not-found). */
            readonly 404: {
                headers: {
                    readonly [name: string]: unknown;
                };
                content: {
                    readonly "application/problem+json": components["schemas"]["Problem"];
                };
            };
            /** @description Something went wrong on our side (https://assay.dev/problems/internal). */
            readonly 500: {
                headers: {
                    readonly [name: string]: unknown;
                };
                content: {
                    readonly "application/problem+json": components["schemas"]["Problem"];
                };
            };
            /** @description Storage is not available (https://assay.dev/problems/storage-unavailable). The identity provider does not answer (https://assay.dev/problems/identity-unavailable). */
            readonly 503: {
                headers: {
                    readonly [name: string]: unknown;
                };
                content: {
                    readonly "application/problem+json": components["schemas"]["Problem"];
                };
            };
        };
    };
    readonly getResultsHistory: {
        readonly parameters: {
            readonly query?: never;
            readonly header?: never;
            readonly path: {
                readonly id: string;
            };
            readonly cookie?: never;
        };
        readonly requestBody?: never;
        readonly responses: {
            /** @description The series. */
            readonly 200: {
                headers: {
                    readonly [name: string]: unknown;
                };
                content: {
                    readonly "application/json": components["schemas"]["ResultsHistory"];
                };
            };
            /** @description The credential is missing or not valid (https://assay.dev/problems/invalid-credential). */
            readonly 401: {
                headers: {
                    readonly [name: string]: unknown;
                };
                content: {
                    readonly "application/problem+json": components["schemas"]["Problem"];
                };
            };
            /** @description All seats of the plan are taken (https://assay.dev/problems/seat-required). */
            readonly 403: {
                headers: {
                    readonly [name: string]: unknown;
                };
                content: {
                    readonly "application/problem+json": components["schemas"]["Problem"];
                };
            };
            /** @description There is no such experiment (https://assay.dev/problems/experiment-not-found). */
            readonly 404: {
                headers: {
                    readonly [name: string]: unknown;
                };
                content: {
                    readonly "application/problem+json": components["schemas"]["Problem"];
                };
            };
            /** @description Something went wrong on our side (https://assay.dev/problems/internal). */
            readonly 500: {
                headers: {
                    readonly [name: string]: unknown;
                };
                content: {
                    readonly "application/problem+json": components["schemas"]["Problem"];
                };
            };
            /** @description Storage is not available (https://assay.dev/problems/storage-unavailable). The identity provider does not answer (https://assay.dev/problems/identity-unavailable). */
            readonly 503: {
                headers: {
                    readonly [name: string]: unknown;
                };
                content: {
                    readonly "application/problem+json": components["schemas"]["Problem"];
                };
            };
        };
    };
    readonly listNightlyRuns: {
        readonly parameters: {
            readonly query?: never;
            readonly header?: never;
            readonly path: {
                readonly id: string;
            };
            readonly cookie?: never;
        };
        readonly requestBody?: never;
        readonly responses: {
            /** @description The runs, failed and collecting ones too. */
            readonly 200: {
                headers: {
                    readonly [name: string]: unknown;
                };
                content: {
                    readonly "application/json": components["schemas"]["NightlyRuns"];
                };
            };
            /** @description The credential is missing or not valid (https://assay.dev/problems/invalid-credential). */
            readonly 401: {
                headers: {
                    readonly [name: string]: unknown;
                };
                content: {
                    readonly "application/problem+json": components["schemas"]["Problem"];
                };
            };
            /** @description All seats of the plan are taken (https://assay.dev/problems/seat-required). */
            readonly 403: {
                headers: {
                    readonly [name: string]: unknown;
                };
                content: {
                    readonly "application/problem+json": components["schemas"]["Problem"];
                };
            };
            /** @description There is no such experiment (https://assay.dev/problems/experiment-not-found). */
            readonly 404: {
                headers: {
                    readonly [name: string]: unknown;
                };
                content: {
                    readonly "application/problem+json": components["schemas"]["Problem"];
                };
            };
            /** @description Something went wrong on our side (https://assay.dev/problems/internal). */
            readonly 500: {
                headers: {
                    readonly [name: string]: unknown;
                };
                content: {
                    readonly "application/problem+json": components["schemas"]["Problem"];
                };
            };
            /** @description Storage is not available (https://assay.dev/problems/storage-unavailable). The identity provider does not answer (https://assay.dev/problems/identity-unavailable). */
            readonly 503: {
                headers: {
                    readonly [name: string]: unknown;
                };
                content: {
                    readonly "application/problem+json": components["schemas"]["Problem"];
                };
            };
        };
    };
    readonly postTestEvent: {
        readonly parameters: {
            readonly query?: never;
            readonly header?: never;
            readonly path: {
                readonly id: string;
            };
            readonly cookie?: never;
        };
        readonly requestBody?: never;
        readonly responses: {
            /** @description Accepted. */
            readonly 202: {
                headers: {
                    readonly [name: string]: unknown;
                };
                content?: never;
            };
            /** @description The credential is missing or not valid (https://assay.dev/problems/invalid-credential). */
            readonly 401: {
                headers: {
                    readonly [name: string]: unknown;
                };
                content: {
                    readonly "application/problem+json": components["schemas"]["Problem"];
                };
            };
            /** @description All seats of the plan are taken (https://assay.dev/problems/seat-required). The request comes from another origin (https://assay.dev/problems/foreign-origin). */
            readonly 403: {
                headers: {
                    readonly [name: string]: unknown;
                };
                content: {
                    readonly "application/problem+json": components["schemas"]["Problem"];
                };
            };
            /** @description There is no such experiment (https://assay.dev/problems/experiment-not-found). */
            readonly 404: {
                headers: {
                    readonly [name: string]: unknown;
                };
                content: {
                    readonly "application/problem+json": components["schemas"]["Problem"];
                };
            };
            /** @description Too many test events for this experiment (https://assay.dev/problems/test-event-limit). The monthly event allowance is used up (https://assay.dev/problems/allowance-exhausted). */
            readonly 429: {
                headers: {
                    readonly [name: string]: unknown;
                };
                content: {
                    readonly "application/problem+json": components["schemas"]["Problem"];
                };
            };
            /** @description Something went wrong on our side (https://assay.dev/problems/internal). */
            readonly 500: {
                headers: {
                    readonly [name: string]: unknown;
                };
                content: {
                    readonly "application/problem+json": components["schemas"]["Problem"];
                };
            };
            /** @description The ingest queue is full (https://assay.dev/problems/queue-full). Storage is not available (https://assay.dev/problems/storage-unavailable). The identity provider does not answer (https://assay.dev/problems/identity-unavailable). */
            readonly 503: {
                headers: {
                    readonly [name: string]: unknown;
                };
                content: {
                    readonly "application/problem+json": components["schemas"]["Problem"];
                };
            };
        };
    };
    readonly getTraffic: {
        readonly parameters: {
            readonly query?: never;
            readonly header?: never;
            readonly path: {
                readonly id: string;
            };
            readonly cookie?: never;
        };
        readonly requestBody?: never;
        readonly responses: {
            /** @description The series. */
            readonly 200: {
                headers: {
                    readonly [name: string]: unknown;
                };
                content: {
                    readonly "application/json": components["schemas"]["TrafficSeries"];
                };
            };
            /** @description The credential is missing or not valid (https://assay.dev/problems/invalid-credential). */
            readonly 401: {
                headers: {
                    readonly [name: string]: unknown;
                };
                content: {
                    readonly "application/problem+json": components["schemas"]["Problem"];
                };
            };
            /** @description All seats of the plan are taken (https://assay.dev/problems/seat-required). */
            readonly 403: {
                headers: {
                    readonly [name: string]: unknown;
                };
                content: {
                    readonly "application/problem+json": components["schemas"]["Problem"];
                };
            };
            /** @description There is no such experiment (https://assay.dev/problems/experiment-not-found). */
            readonly 404: {
                headers: {
                    readonly [name: string]: unknown;
                };
                content: {
                    readonly "application/problem+json": components["schemas"]["Problem"];
                };
            };
            /** @description Something went wrong on our side (https://assay.dev/problems/internal). */
            readonly 500: {
                headers: {
                    readonly [name: string]: unknown;
                };
                content: {
                    readonly "application/problem+json": components["schemas"]["Problem"];
                };
            };
            /** @description Storage is not available (https://assay.dev/problems/storage-unavailable). The identity provider does not answer (https://assay.dev/problems/identity-unavailable). */
            readonly 503: {
                headers: {
                    readonly [name: string]: unknown;
                };
                content: {
                    readonly "application/problem+json": components["schemas"]["Problem"];
                };
            };
        };
    };
    readonly listExperimentVersions: {
        readonly parameters: {
            readonly query?: never;
            readonly header?: never;
            readonly path: {
                readonly id: string;
            };
            readonly cookie?: never;
        };
        readonly requestBody?: never;
        readonly responses: {
            /** @description The versions. */
            readonly 200: {
                headers: {
                    readonly [name: string]: unknown;
                };
                content: {
                    readonly "application/json": readonly components["schemas"]["ExperimentVersion"][];
                };
            };
            /** @description The credential is missing or not valid (https://assay.dev/problems/invalid-credential). */
            readonly 401: {
                headers: {
                    readonly [name: string]: unknown;
                };
                content: {
                    readonly "application/problem+json": components["schemas"]["Problem"];
                };
            };
            /** @description All seats of the plan are taken (https://assay.dev/problems/seat-required). */
            readonly 403: {
                headers: {
                    readonly [name: string]: unknown;
                };
                content: {
                    readonly "application/problem+json": components["schemas"]["Problem"];
                };
            };
            /** @description There is no such experiment (https://assay.dev/problems/experiment-not-found). */
            readonly 404: {
                headers: {
                    readonly [name: string]: unknown;
                };
                content: {
                    readonly "application/problem+json": components["schemas"]["Problem"];
                };
            };
            /** @description Something went wrong on our side (https://assay.dev/problems/internal). */
            readonly 500: {
                headers: {
                    readonly [name: string]: unknown;
                };
                content: {
                    readonly "application/problem+json": components["schemas"]["Problem"];
                };
            };
            /** @description Storage is not available (https://assay.dev/problems/storage-unavailable). The identity provider does not answer (https://assay.dev/problems/identity-unavailable). */
            readonly 503: {
                headers: {
                    readonly [name: string]: unknown;
                };
                content: {
                    readonly "application/problem+json": components["schemas"]["Problem"];
                };
            };
        };
    };
    readonly listFeedback: {
        readonly parameters: {
            readonly query?: {
                readonly cursor?: string;
                readonly limit?: number;
            };
            readonly header?: never;
            readonly path?: never;
            readonly cookie?: never;
        };
        readonly requestBody?: never;
        readonly responses: {
            /** @description One page. */
            readonly 200: {
                headers: {
                    readonly [name: string]: unknown;
                };
                content: {
                    readonly "application/json": components["schemas"]["FeedbackPage"];
                };
            };
            /** @description A query parameter is not valid (https://assay.dev/problems/invalid-query). */
            readonly 400: {
                headers: {
                    readonly [name: string]: unknown;
                };
                content: {
                    readonly "application/problem+json": components["schemas"]["Problem"];
                };
            };
            /** @description The credential is missing or not valid (https://assay.dev/problems/invalid-credential). */
            readonly 401: {
                headers: {
                    readonly [name: string]: unknown;
                };
                content: {
                    readonly "application/problem+json": components["schemas"]["Problem"];
                };
            };
            /** @description All seats of the plan are taken (https://assay.dev/problems/seat-required). */
            readonly 403: {
                headers: {
                    readonly [name: string]: unknown;
                };
                content: {
                    readonly "application/problem+json": components["schemas"]["Problem"];
                };
            };
            /** @description Something went wrong on our side (https://assay.dev/problems/internal). */
            readonly 500: {
                headers: {
                    readonly [name: string]: unknown;
                };
                content: {
                    readonly "application/problem+json": components["schemas"]["Problem"];
                };
            };
            /** @description Storage is not available (https://assay.dev/problems/storage-unavailable). The identity provider does not answer (https://assay.dev/problems/identity-unavailable). */
            readonly 503: {
                headers: {
                    readonly [name: string]: unknown;
                };
                content: {
                    readonly "application/problem+json": components["schemas"]["Problem"];
                };
            };
        };
    };
    readonly createFeedback: {
        readonly parameters: {
            readonly query?: never;
            readonly header?: never;
            readonly path?: never;
            readonly cookie?: never;
        };
        readonly requestBody: {
            readonly content: {
                readonly "application/json": components["schemas"]["FeedbackRequest"];
            };
        };
        readonly responses: {
            /** @description The feedback as stored. */
            readonly 201: {
                headers: {
                    readonly [name: string]: unknown;
                };
                content: {
                    readonly "application/json": components["schemas"]["Feedback"];
                };
            };
            /** @description The request body is not valid (https://assay.dev/problems/invalid-body). */
            readonly 400: {
                headers: {
                    readonly [name: string]: unknown;
                };
                content: {
                    readonly "application/problem+json": components["schemas"]["Problem"];
                };
            };
            /** @description The credential is missing or not valid (https://assay.dev/problems/invalid-credential). */
            readonly 401: {
                headers: {
                    readonly [name: string]: unknown;
                };
                content: {
                    readonly "application/problem+json": components["schemas"]["Problem"];
                };
            };
            /** @description All seats of the plan are taken (https://assay.dev/problems/seat-required). The request comes from another origin (https://assay.dev/problems/foreign-origin). */
            readonly 403: {
                headers: {
                    readonly [name: string]: unknown;
                };
                content: {
                    readonly "application/problem+json": components["schemas"]["Problem"];
                };
            };
            /** @description The request body is too large (https://assay.dev/problems/body-too-large). */
            readonly 413: {
                headers: {
                    readonly [name: string]: unknown;
                };
                content: {
                    readonly "application/problem+json": components["schemas"]["Problem"];
                };
            };
            /** @description This media type is not read here (https://assay.dev/problems/unsupported-media-type). */
            readonly 415: {
                headers: {
                    readonly [name: string]: unknown;
                };
                content: {
                    readonly "application/problem+json": components["schemas"]["Problem"];
                };
            };
            /** @description Something went wrong on our side (https://assay.dev/problems/internal). */
            readonly 500: {
                headers: {
                    readonly [name: string]: unknown;
                };
                content: {
                    readonly "application/problem+json": components["schemas"]["Problem"];
                };
            };
            /** @description Storage is not available (https://assay.dev/problems/storage-unavailable). The identity provider does not answer (https://assay.dev/problems/identity-unavailable). */
            readonly 503: {
                headers: {
                    readonly [name: string]: unknown;
                };
                content: {
                    readonly "application/problem+json": components["schemas"]["Problem"];
                };
            };
        };
    };
    readonly listInvitations: {
        readonly parameters: {
            readonly query?: {
                readonly cursor?: string;
                readonly limit?: number;
            };
            readonly header?: never;
            readonly path?: never;
            readonly cookie?: never;
        };
        readonly requestBody?: never;
        readonly responses: {
            /** @description One page. */
            readonly 200: {
                headers: {
                    readonly [name: string]: unknown;
                };
                content: {
                    readonly "application/json": components["schemas"]["InvitationPage"];
                };
            };
            /** @description A query parameter is not valid (https://assay.dev/problems/invalid-query). */
            readonly 400: {
                headers: {
                    readonly [name: string]: unknown;
                };
                content: {
                    readonly "application/problem+json": components["schemas"]["Problem"];
                };
            };
            /** @description The credential is missing or not valid (https://assay.dev/problems/invalid-credential). */
            readonly 401: {
                headers: {
                    readonly [name: string]: unknown;
                };
                content: {
                    readonly "application/problem+json": components["schemas"]["Problem"];
                };
            };
            /** @description All seats of the plan are taken (https://assay.dev/problems/seat-required). Your role does not allow this (https://assay.dev/problems/role-required). */
            readonly 403: {
                headers: {
                    readonly [name: string]: unknown;
                };
                content: {
                    readonly "application/problem+json": components["schemas"]["Problem"];
                };
            };
            /** @description Something went wrong on our side (https://assay.dev/problems/internal). */
            readonly 500: {
                headers: {
                    readonly [name: string]: unknown;
                };
                content: {
                    readonly "application/problem+json": components["schemas"]["Problem"];
                };
            };
            /** @description Storage is not available (https://assay.dev/problems/storage-unavailable). The identity provider does not answer (https://assay.dev/problems/identity-unavailable). */
            readonly 503: {
                headers: {
                    readonly [name: string]: unknown;
                };
                content: {
                    readonly "application/problem+json": components["schemas"]["Problem"];
                };
            };
        };
    };
    readonly createInvitation: {
        readonly parameters: {
            readonly query?: never;
            readonly header?: never;
            readonly path?: never;
            readonly cookie?: never;
        };
        readonly requestBody: {
            readonly content: {
                readonly "application/json": components["schemas"]["InvitationRequest"];
            };
        };
        readonly responses: {
            /** @description The link. */
            readonly 201: {
                headers: {
                    readonly [name: string]: unknown;
                };
                content: {
                    readonly "application/json": components["schemas"]["Invitation"];
                };
            };
            /** @description The request body is not valid (https://assay.dev/problems/invalid-body). */
            readonly 400: {
                headers: {
                    readonly [name: string]: unknown;
                };
                content: {
                    readonly "application/problem+json": components["schemas"]["Problem"];
                };
            };
            /** @description The credential is missing or not valid (https://assay.dev/problems/invalid-credential). */
            readonly 401: {
                headers: {
                    readonly [name: string]: unknown;
                };
                content: {
                    readonly "application/problem+json": components["schemas"]["Problem"];
                };
            };
            /** @description Only the platform owner may do this (https://assay.dev/problems/platform-owner-required). All seats of the plan are taken (https://assay.dev/problems/seat-required). The request comes from another origin (https://assay.dev/problems/foreign-origin). Your role does not allow this (https://assay.dev/problems/role-required). */
            readonly 403: {
                headers: {
                    readonly [name: string]: unknown;
                };
                content: {
                    readonly "application/problem+json": components["schemas"]["Problem"];
                };
            };
            /** @description Members are managed at the identity provider (https://assay.dev/problems/members-elsewhere). All seats of the plan are taken (https://assay.dev/problems/seats-exhausted). */
            readonly 409: {
                headers: {
                    readonly [name: string]: unknown;
                };
                content: {
                    readonly "application/problem+json": components["schemas"]["Problem"];
                };
            };
            /** @description The request body is too large (https://assay.dev/problems/body-too-large). */
            readonly 413: {
                headers: {
                    readonly [name: string]: unknown;
                };
                content: {
                    readonly "application/problem+json": components["schemas"]["Problem"];
                };
            };
            /** @description This media type is not read here (https://assay.dev/problems/unsupported-media-type). */
            readonly 415: {
                headers: {
                    readonly [name: string]: unknown;
                };
                content: {
                    readonly "application/problem+json": components["schemas"]["Problem"];
                };
            };
            /** @description Something went wrong on our side (https://assay.dev/problems/internal). */
            readonly 500: {
                headers: {
                    readonly [name: string]: unknown;
                };
                content: {
                    readonly "application/problem+json": components["schemas"]["Problem"];
                };
            };
            /** @description Storage is not available (https://assay.dev/problems/storage-unavailable). The identity provider does not answer (https://assay.dev/problems/identity-unavailable). */
            readonly 503: {
                headers: {
                    readonly [name: string]: unknown;
                };
                content: {
                    readonly "application/problem+json": components["schemas"]["Problem"];
                };
            };
        };
    };
    readonly revokeInvitation: {
        readonly parameters: {
            readonly query?: never;
            readonly header?: never;
            readonly path: {
                readonly id: string;
            };
            readonly cookie?: never;
        };
        readonly requestBody?: never;
        readonly responses: {
            /** @description It is revoked. */
            readonly 204: {
                headers: {
                    readonly [name: string]: unknown;
                };
                content?: never;
            };
            /** @description The credential is missing or not valid (https://assay.dev/problems/invalid-credential). */
            readonly 401: {
                headers: {
                    readonly [name: string]: unknown;
                };
                content: {
                    readonly "application/problem+json": components["schemas"]["Problem"];
                };
            };
            /** @description All seats of the plan are taken (https://assay.dev/problems/seat-required). The request comes from another origin (https://assay.dev/problems/foreign-origin). Your role does not allow this (https://assay.dev/problems/role-required). */
            readonly 403: {
                headers: {
                    readonly [name: string]: unknown;
                };
                content: {
                    readonly "application/problem+json": components["schemas"]["Problem"];
                };
            };
            /** @description There is no such invitation (https://assay.dev/problems/invitation-not-found). */
            readonly 404: {
                headers: {
                    readonly [name: string]: unknown;
                };
                content: {
                    readonly "application/problem+json": components["schemas"]["Problem"];
                };
            };
            /** @description Something went wrong on our side (https://assay.dev/problems/internal). */
            readonly 500: {
                headers: {
                    readonly [name: string]: unknown;
                };
                content: {
                    readonly "application/problem+json": components["schemas"]["Problem"];
                };
            };
            /** @description Storage is not available (https://assay.dev/problems/storage-unavailable). The identity provider does not answer (https://assay.dev/problems/identity-unavailable). */
            readonly 503: {
                headers: {
                    readonly [name: string]: unknown;
                };
                content: {
                    readonly "application/problem+json": components["schemas"]["Problem"];
                };
            };
        };
    };
    readonly getJudges: {
        readonly parameters: {
            readonly query?: never;
            readonly header?: never;
            readonly path?: never;
            readonly cookie?: never;
        };
        readonly requestBody?: never;
        readonly responses: {
            /** @description The state of judging. */
            readonly 200: {
                headers: {
                    readonly [name: string]: unknown;
                };
                content: {
                    readonly "application/json": components["schemas"]["JudgesOverview"];
                };
            };
            /** @description The credential is missing or not valid (https://assay.dev/problems/invalid-credential). */
            readonly 401: {
                headers: {
                    readonly [name: string]: unknown;
                };
                content: {
                    readonly "application/problem+json": components["schemas"]["Problem"];
                };
            };
            /** @description All seats of the plan are taken (https://assay.dev/problems/seat-required). */
            readonly 403: {
                headers: {
                    readonly [name: string]: unknown;
                };
                content: {
                    readonly "application/problem+json": components["schemas"]["Problem"];
                };
            };
            /** @description Something went wrong on our side (https://assay.dev/problems/internal). */
            readonly 500: {
                headers: {
                    readonly [name: string]: unknown;
                };
                content: {
                    readonly "application/problem+json": components["schemas"]["Problem"];
                };
            };
            /** @description Storage is not available (https://assay.dev/problems/storage-unavailable). The identity provider does not answer (https://assay.dev/problems/identity-unavailable). */
            readonly 503: {
                headers: {
                    readonly [name: string]: unknown;
                };
                content: {
                    readonly "application/problem+json": components["schemas"]["Problem"];
                };
            };
        };
    };
    readonly listKeys: {
        readonly parameters: {
            readonly query?: never;
            readonly header?: never;
            readonly path?: never;
            readonly cookie?: never;
        };
        readonly requestBody?: never;
        readonly responses: {
            /** @description At most one key per scope. */
            readonly 200: {
                headers: {
                    readonly [name: string]: unknown;
                };
                content: {
                    readonly "application/json": readonly components["schemas"]["KeySummary"][];
                };
            };
            /** @description The credential is missing or not valid (https://assay.dev/problems/invalid-credential). */
            readonly 401: {
                headers: {
                    readonly [name: string]: unknown;
                };
                content: {
                    readonly "application/problem+json": components["schemas"]["Problem"];
                };
            };
            /** @description All seats of the plan are taken (https://assay.dev/problems/seat-required). */
            readonly 403: {
                headers: {
                    readonly [name: string]: unknown;
                };
                content: {
                    readonly "application/problem+json": components["schemas"]["Problem"];
                };
            };
            /** @description Something went wrong on our side (https://assay.dev/problems/internal). */
            readonly 500: {
                headers: {
                    readonly [name: string]: unknown;
                };
                content: {
                    readonly "application/problem+json": components["schemas"]["Problem"];
                };
            };
            /** @description Storage is not available (https://assay.dev/problems/storage-unavailable). The identity provider does not answer (https://assay.dev/problems/identity-unavailable). */
            readonly 503: {
                headers: {
                    readonly [name: string]: unknown;
                };
                content: {
                    readonly "application/problem+json": components["schemas"]["Problem"];
                };
            };
        };
    };
    readonly rotateKey: {
        readonly parameters: {
            readonly query?: never;
            readonly header?: never;
            readonly path?: never;
            readonly cookie?: never;
        };
        readonly requestBody: {
            readonly content: {
                readonly "application/json": components["schemas"]["KeyRequest"];
            };
        };
        readonly responses: {
            /** @description The raw key. */
            readonly 201: {
                headers: {
                    readonly [name: string]: unknown;
                };
                content: {
                    readonly "application/json": components["schemas"]["ApiKey"];
                };
            };
            /** @description The request body is not valid (https://assay.dev/problems/invalid-body). */
            readonly 400: {
                headers: {
                    readonly [name: string]: unknown;
                };
                content: {
                    readonly "application/problem+json": components["schemas"]["Problem"];
                };
            };
            /** @description The credential is missing or not valid (https://assay.dev/problems/invalid-credential). */
            readonly 401: {
                headers: {
                    readonly [name: string]: unknown;
                };
                content: {
                    readonly "application/problem+json": components["schemas"]["Problem"];
                };
            };
            /** @description All seats of the plan are taken (https://assay.dev/problems/seat-required). The request comes from another origin (https://assay.dev/problems/foreign-origin). Your role does not allow this (https://assay.dev/problems/role-required). */
            readonly 403: {
                headers: {
                    readonly [name: string]: unknown;
                };
                content: {
                    readonly "application/problem+json": components["schemas"]["Problem"];
                };
            };
            /** @description The request body is too large (https://assay.dev/problems/body-too-large). */
            readonly 413: {
                headers: {
                    readonly [name: string]: unknown;
                };
                content: {
                    readonly "application/problem+json": components["schemas"]["Problem"];
                };
            };
            /** @description This media type is not read here (https://assay.dev/problems/unsupported-media-type). */
            readonly 415: {
                headers: {
                    readonly [name: string]: unknown;
                };
                content: {
                    readonly "application/problem+json": components["schemas"]["Problem"];
                };
            };
            /** @description Something went wrong on our side (https://assay.dev/problems/internal). */
            readonly 500: {
                headers: {
                    readonly [name: string]: unknown;
                };
                content: {
                    readonly "application/problem+json": components["schemas"]["Problem"];
                };
            };
            /** @description Storage is not available (https://assay.dev/problems/storage-unavailable). The identity provider does not answer (https://assay.dev/problems/identity-unavailable). */
            readonly 503: {
                headers: {
                    readonly [name: string]: unknown;
                };
                content: {
                    readonly "application/problem+json": components["schemas"]["Problem"];
                };
            };
        };
    };
    readonly revealKey: {
        readonly parameters: {
            readonly query?: never;
            readonly header?: never;
            readonly path: {
                readonly scope: "publishable" | "secret";
            };
            readonly cookie?: never;
        };
        readonly requestBody?: never;
        readonly responses: {
            /** @description The raw key. */
            readonly 200: {
                headers: {
                    readonly [name: string]: unknown;
                };
                content: {
                    readonly "application/json": components["schemas"]["ApiKey"];
                };
            };
            /** @description The credential is missing or not valid (https://assay.dev/problems/invalid-credential). */
            readonly 401: {
                headers: {
                    readonly [name: string]: unknown;
                };
                content: {
                    readonly "application/problem+json": components["schemas"]["Problem"];
                };
            };
            /** @description All seats of the plan are taken (https://assay.dev/problems/seat-required). Your role does not allow this (https://assay.dev/problems/role-required). */
            readonly 403: {
                headers: {
                    readonly [name: string]: unknown;
                };
                content: {
                    readonly "application/problem+json": components["schemas"]["Problem"];
                };
            };
            /** @description There is no key that can be revealed (https://assay.dev/problems/key-not-revealable). */
            readonly 404: {
                headers: {
                    readonly [name: string]: unknown;
                };
                content: {
                    readonly "application/problem+json": components["schemas"]["Problem"];
                };
            };
            /** @description Something went wrong on our side (https://assay.dev/problems/internal). */
            readonly 500: {
                headers: {
                    readonly [name: string]: unknown;
                };
                content: {
                    readonly "application/problem+json": components["schemas"]["Problem"];
                };
            };
            /** @description Storage is not available (https://assay.dev/problems/storage-unavailable). The identity provider does not answer (https://assay.dev/problems/identity-unavailable). */
            readonly 503: {
                headers: {
                    readonly [name: string]: unknown;
                };
                content: {
                    readonly "application/problem+json": components["schemas"]["Problem"];
                };
            };
        };
    };
    readonly listMembers: {
        readonly parameters: {
            readonly query?: {
                readonly cursor?: string;
                readonly limit?: number;
            };
            readonly header?: never;
            readonly path?: never;
            readonly cookie?: never;
        };
        readonly requestBody?: never;
        readonly responses: {
            /** @description One page. */
            readonly 200: {
                headers: {
                    readonly [name: string]: unknown;
                };
                content: {
                    readonly "application/json": components["schemas"]["MemberPage"];
                };
            };
            /** @description A query parameter is not valid (https://assay.dev/problems/invalid-query). */
            readonly 400: {
                headers: {
                    readonly [name: string]: unknown;
                };
                content: {
                    readonly "application/problem+json": components["schemas"]["Problem"];
                };
            };
            /** @description The credential is missing or not valid (https://assay.dev/problems/invalid-credential). */
            readonly 401: {
                headers: {
                    readonly [name: string]: unknown;
                };
                content: {
                    readonly "application/problem+json": components["schemas"]["Problem"];
                };
            };
            /** @description All seats of the plan are taken (https://assay.dev/problems/seat-required). */
            readonly 403: {
                headers: {
                    readonly [name: string]: unknown;
                };
                content: {
                    readonly "application/problem+json": components["schemas"]["Problem"];
                };
            };
            /** @description Something went wrong on our side (https://assay.dev/problems/internal). */
            readonly 500: {
                headers: {
                    readonly [name: string]: unknown;
                };
                content: {
                    readonly "application/problem+json": components["schemas"]["Problem"];
                };
            };
            /** @description Storage is not available (https://assay.dev/problems/storage-unavailable). The identity provider does not answer (https://assay.dev/problems/identity-unavailable). */
            readonly 503: {
                headers: {
                    readonly [name: string]: unknown;
                };
                content: {
                    readonly "application/problem+json": components["schemas"]["Problem"];
                };
            };
        };
    };
    readonly putMember: {
        readonly parameters: {
            readonly query?: never;
            readonly header?: never;
            readonly path: {
                readonly id: string;
            };
            readonly cookie?: never;
        };
        readonly requestBody: {
            readonly content: {
                readonly "application/json": components["schemas"]["MemberRequest"];
            };
        };
        readonly responses: {
            /** @description The member. */
            readonly 200: {
                headers: {
                    readonly [name: string]: unknown;
                };
                content: {
                    readonly "application/json": components["schemas"]["Member"];
                };
            };
            /** @description The request body is not valid (https://assay.dev/problems/invalid-body). */
            readonly 400: {
                headers: {
                    readonly [name: string]: unknown;
                };
                content: {
                    readonly "application/problem+json": components["schemas"]["Problem"];
                };
            };
            /** @description The credential is missing or not valid (https://assay.dev/problems/invalid-credential). */
            readonly 401: {
                headers: {
                    readonly [name: string]: unknown;
                };
                content: {
                    readonly "application/problem+json": components["schemas"]["Problem"];
                };
            };
            /** @description All seats of the plan are taken (https://assay.dev/problems/seat-required). The request comes from another origin (https://assay.dev/problems/foreign-origin). Your role does not allow this (https://assay.dev/problems/role-required). */
            readonly 403: {
                headers: {
                    readonly [name: string]: unknown;
                };
                content: {
                    readonly "application/problem+json": components["schemas"]["Problem"];
                };
            };
            /** @description There is no such member (https://assay.dev/problems/member-not-found). */
            readonly 404: {
                headers: {
                    readonly [name: string]: unknown;
                };
                content: {
                    readonly "application/problem+json": components["schemas"]["Problem"];
                };
            };
            /** @description Members are managed at the identity provider (https://assay.dev/problems/members-elsewhere). An organization keeps at least one owner (https://assay.dev/problems/last-owner). */
            readonly 409: {
                headers: {
                    readonly [name: string]: unknown;
                };
                content: {
                    readonly "application/problem+json": components["schemas"]["Problem"];
                };
            };
            /** @description The request body is too large (https://assay.dev/problems/body-too-large). */
            readonly 413: {
                headers: {
                    readonly [name: string]: unknown;
                };
                content: {
                    readonly "application/problem+json": components["schemas"]["Problem"];
                };
            };
            /** @description This media type is not read here (https://assay.dev/problems/unsupported-media-type). */
            readonly 415: {
                headers: {
                    readonly [name: string]: unknown;
                };
                content: {
                    readonly "application/problem+json": components["schemas"]["Problem"];
                };
            };
            /** @description Something went wrong on our side (https://assay.dev/problems/internal). */
            readonly 500: {
                headers: {
                    readonly [name: string]: unknown;
                };
                content: {
                    readonly "application/problem+json": components["schemas"]["Problem"];
                };
            };
            /** @description Storage is not available (https://assay.dev/problems/storage-unavailable). The identity provider does not answer (https://assay.dev/problems/identity-unavailable). */
            readonly 503: {
                headers: {
                    readonly [name: string]: unknown;
                };
                content: {
                    readonly "application/problem+json": components["schemas"]["Problem"];
                };
            };
        };
    };
    readonly removeMember: {
        readonly parameters: {
            readonly query?: never;
            readonly header?: never;
            readonly path: {
                readonly id: string;
            };
            readonly cookie?: never;
        };
        readonly requestBody?: never;
        readonly responses: {
            /** @description They are removed. */
            readonly 204: {
                headers: {
                    readonly [name: string]: unknown;
                };
                content?: never;
            };
            /** @description The credential is missing or not valid (https://assay.dev/problems/invalid-credential). */
            readonly 401: {
                headers: {
                    readonly [name: string]: unknown;
                };
                content: {
                    readonly "application/problem+json": components["schemas"]["Problem"];
                };
            };
            /** @description All seats of the plan are taken (https://assay.dev/problems/seat-required). The request comes from another origin (https://assay.dev/problems/foreign-origin). Your role does not allow this (https://assay.dev/problems/role-required). */
            readonly 403: {
                headers: {
                    readonly [name: string]: unknown;
                };
                content: {
                    readonly "application/problem+json": components["schemas"]["Problem"];
                };
            };
            /** @description There is no such member (https://assay.dev/problems/member-not-found). */
            readonly 404: {
                headers: {
                    readonly [name: string]: unknown;
                };
                content: {
                    readonly "application/problem+json": components["schemas"]["Problem"];
                };
            };
            /** @description Members are managed at the identity provider (https://assay.dev/problems/members-elsewhere). An organization keeps at least one owner (https://assay.dev/problems/last-owner). */
            readonly 409: {
                headers: {
                    readonly [name: string]: unknown;
                };
                content: {
                    readonly "application/problem+json": components["schemas"]["Problem"];
                };
            };
            /** @description Something went wrong on our side (https://assay.dev/problems/internal). */
            readonly 500: {
                headers: {
                    readonly [name: string]: unknown;
                };
                content: {
                    readonly "application/problem+json": components["schemas"]["Problem"];
                };
            };
            /** @description Storage is not available (https://assay.dev/problems/storage-unavailable). The identity provider does not answer (https://assay.dev/problems/identity-unavailable). */
            readonly 503: {
                headers: {
                    readonly [name: string]: unknown;
                };
                content: {
                    readonly "application/problem+json": components["schemas"]["Problem"];
                };
            };
        };
    };
    readonly listMetrics: {
        readonly parameters: {
            readonly query?: never;
            readonly header?: never;
            readonly path?: never;
            readonly cookie?: never;
        };
        readonly requestBody?: never;
        readonly responses: {
            /** @description The catalogue. */
            readonly 200: {
                headers: {
                    readonly [name: string]: unknown;
                };
                content: {
                    readonly "application/json": components["schemas"]["MetricCatalogue"];
                };
            };
            /** @description The credential is missing or not valid (https://assay.dev/problems/invalid-credential). */
            readonly 401: {
                headers: {
                    readonly [name: string]: unknown;
                };
                content: {
                    readonly "application/problem+json": components["schemas"]["Problem"];
                };
            };
            /** @description All seats of the plan are taken (https://assay.dev/problems/seat-required). */
            readonly 403: {
                headers: {
                    readonly [name: string]: unknown;
                };
                content: {
                    readonly "application/problem+json": components["schemas"]["Problem"];
                };
            };
            /** @description Something went wrong on our side (https://assay.dev/problems/internal). */
            readonly 500: {
                headers: {
                    readonly [name: string]: unknown;
                };
                content: {
                    readonly "application/problem+json": components["schemas"]["Problem"];
                };
            };
            /** @description Storage is not available (https://assay.dev/problems/storage-unavailable). The identity provider does not answer (https://assay.dev/problems/identity-unavailable). */
            readonly 503: {
                headers: {
                    readonly [name: string]: unknown;
                };
                content: {
                    readonly "application/problem+json": components["schemas"]["Problem"];
                };
            };
        };
    };
    readonly listOverview: {
        readonly parameters: {
            readonly query?: never;
            readonly header?: never;
            readonly path?: never;
            readonly cookie?: never;
        };
        readonly requestBody?: never;
        readonly responses: {
            /** @description One entry per experiment. */
            readonly 200: {
                headers: {
                    readonly [name: string]: unknown;
                };
                content: {
                    readonly "application/json": components["schemas"]["Overview"];
                };
            };
            /** @description The credential is missing or not valid (https://assay.dev/problems/invalid-credential). */
            readonly 401: {
                headers: {
                    readonly [name: string]: unknown;
                };
                content: {
                    readonly "application/problem+json": components["schemas"]["Problem"];
                };
            };
            /** @description All seats of the plan are taken (https://assay.dev/problems/seat-required). */
            readonly 403: {
                headers: {
                    readonly [name: string]: unknown;
                };
                content: {
                    readonly "application/problem+json": components["schemas"]["Problem"];
                };
            };
            /** @description Something went wrong on our side (https://assay.dev/problems/internal). */
            readonly 500: {
                headers: {
                    readonly [name: string]: unknown;
                };
                content: {
                    readonly "application/problem+json": components["schemas"]["Problem"];
                };
            };
            /** @description Storage is not available (https://assay.dev/problems/storage-unavailable). The identity provider does not answer (https://assay.dev/problems/identity-unavailable). */
            readonly 503: {
                headers: {
                    readonly [name: string]: unknown;
                };
                content: {
                    readonly "application/problem+json": components["schemas"]["Problem"];
                };
            };
        };
    };
    readonly planConfig: {
        readonly parameters: {
            readonly query?: never;
            readonly header?: never;
            readonly path?: never;
            readonly cookie?: never;
        };
        readonly requestBody: {
            readonly content: {
                readonly "application/json": components["schemas"]["ConfigPlanRequest"];
            };
        };
        readonly responses: {
            /** @description One row per metric and treatment. */
            readonly 200: {
                headers: {
                    readonly [name: string]: unknown;
                };
                content: {
                    readonly "application/json": components["schemas"]["ConfigPlan"];
                };
            };
            /** @description The request body is not valid (https://assay.dev/problems/invalid-body). */
            readonly 400: {
                headers: {
                    readonly [name: string]: unknown;
                };
                content: {
                    readonly "application/problem+json": components["schemas"]["Problem"];
                };
            };
            /** @description The credential is missing or not valid (https://assay.dev/problems/invalid-credential). */
            readonly 401: {
                headers: {
                    readonly [name: string]: unknown;
                };
                content: {
                    readonly "application/problem+json": components["schemas"]["Problem"];
                };
            };
            /** @description All seats of the plan are taken (https://assay.dev/problems/seat-required). The request comes from another origin (https://assay.dev/problems/foreign-origin). */
            readonly 403: {
                headers: {
                    readonly [name: string]: unknown;
                };
                content: {
                    readonly "application/problem+json": components["schemas"]["Problem"];
                };
            };
            /** @description The request body is too large (https://assay.dev/problems/body-too-large). */
            readonly 413: {
                headers: {
                    readonly [name: string]: unknown;
                };
                content: {
                    readonly "application/problem+json": components["schemas"]["Problem"];
                };
            };
            /** @description This media type is not read here (https://assay.dev/problems/unsupported-media-type). */
            readonly 415: {
                headers: {
                    readonly [name: string]: unknown;
                };
                content: {
                    readonly "application/problem+json": components["schemas"]["Problem"];
                };
            };
            /** @description Something went wrong on our side (https://assay.dev/problems/internal). */
            readonly 500: {
                headers: {
                    readonly [name: string]: unknown;
                };
                content: {
                    readonly "application/problem+json": components["schemas"]["Problem"];
                };
            };
            /** @description Storage is not available (https://assay.dev/problems/storage-unavailable). The identity provider does not answer (https://assay.dev/problems/identity-unavailable). */
            readonly 503: {
                headers: {
                    readonly [name: string]: unknown;
                };
                content: {
                    readonly "application/problem+json": components["schemas"]["Problem"];
                };
            };
        };
    };
    readonly listPrices: {
        readonly parameters: {
            readonly query?: {
                readonly as_of?: string;
                readonly model?: string;
            };
            readonly header?: never;
            readonly path?: never;
            readonly cookie?: never;
        };
        readonly requestBody?: never;
        readonly responses: {
            /** @description The prices. */
            readonly 200: {
                headers: {
                    readonly [name: string]: unknown;
                };
                content: {
                    readonly "application/json": components["schemas"]["PriceTable"];
                };
            };
            /** @description A query parameter is not valid (https://assay.dev/problems/invalid-query). */
            readonly 400: {
                headers: {
                    readonly [name: string]: unknown;
                };
                content: {
                    readonly "application/problem+json": components["schemas"]["Problem"];
                };
            };
            /** @description The credential is missing or not valid (https://assay.dev/problems/invalid-credential). */
            readonly 401: {
                headers: {
                    readonly [name: string]: unknown;
                };
                content: {
                    readonly "application/problem+json": components["schemas"]["Problem"];
                };
            };
            /** @description All seats of the plan are taken (https://assay.dev/problems/seat-required). */
            readonly 403: {
                headers: {
                    readonly [name: string]: unknown;
                };
                content: {
                    readonly "application/problem+json": components["schemas"]["Problem"];
                };
            };
            /** @description Something went wrong on our side (https://assay.dev/problems/internal). */
            readonly 500: {
                headers: {
                    readonly [name: string]: unknown;
                };
                content: {
                    readonly "application/problem+json": components["schemas"]["Problem"];
                };
            };
            /** @description Storage is not available (https://assay.dev/problems/storage-unavailable). The identity provider does not answer (https://assay.dev/problems/identity-unavailable). */
            readonly 503: {
                headers: {
                    readonly [name: string]: unknown;
                };
                content: {
                    readonly "application/problem+json": components["schemas"]["Problem"];
                };
            };
        };
    };
    readonly putPrice: {
        readonly parameters: {
            readonly query?: never;
            readonly header?: never;
            readonly path?: never;
            readonly cookie?: never;
        };
        readonly requestBody: {
            readonly content: {
                readonly "application/json": components["schemas"]["PriceRequest"];
            };
        };
        readonly responses: {
            /** @description The stored price. */
            readonly 200: {
                headers: {
                    readonly [name: string]: unknown;
                };
                content: {
                    readonly "application/json": components["schemas"]["Price"];
                };
            };
            /** @description The request body is not valid (https://assay.dev/problems/invalid-body). */
            readonly 400: {
                headers: {
                    readonly [name: string]: unknown;
                };
                content: {
                    readonly "application/problem+json": components["schemas"]["Problem"];
                };
            };
            /** @description The credential is missing or not valid (https://assay.dev/problems/invalid-credential). */
            readonly 401: {
                headers: {
                    readonly [name: string]: unknown;
                };
                content: {
                    readonly "application/problem+json": components["schemas"]["Problem"];
                };
            };
            /** @description All seats of the plan are taken (https://assay.dev/problems/seat-required). The request comes from another origin (https://assay.dev/problems/foreign-origin). Your role does not allow this (https://assay.dev/problems/role-required). */
            readonly 403: {
                headers: {
                    readonly [name: string]: unknown;
                };
                content: {
                    readonly "application/problem+json": components["schemas"]["Problem"];
                };
            };
            /** @description The request body is too large (https://assay.dev/problems/body-too-large). */
            readonly 413: {
                headers: {
                    readonly [name: string]: unknown;
                };
                content: {
                    readonly "application/problem+json": components["schemas"]["Problem"];
                };
            };
            /** @description This media type is not read here (https://assay.dev/problems/unsupported-media-type). */
            readonly 415: {
                headers: {
                    readonly [name: string]: unknown;
                };
                content: {
                    readonly "application/problem+json": components["schemas"]["Problem"];
                };
            };
            /** @description Something went wrong on our side (https://assay.dev/problems/internal). */
            readonly 500: {
                headers: {
                    readonly [name: string]: unknown;
                };
                content: {
                    readonly "application/problem+json": components["schemas"]["Problem"];
                };
            };
            /** @description Storage is not available (https://assay.dev/problems/storage-unavailable). The identity provider does not answer (https://assay.dev/problems/identity-unavailable). */
            readonly 503: {
                headers: {
                    readonly [name: string]: unknown;
                };
                content: {
                    readonly "application/problem+json": components["schemas"]["Problem"];
                };
            };
        };
    };
    readonly removePrice: {
        readonly parameters: {
            readonly query: {
                readonly effective_from: string;
                readonly model: string;
            };
            readonly header?: never;
            readonly path?: never;
            readonly cookie?: never;
        };
        readonly requestBody?: never;
        readonly responses: {
            /** @description It is removed. */
            readonly 204: {
                headers: {
                    readonly [name: string]: unknown;
                };
                content?: never;
            };
            /** @description A query parameter is not valid (https://assay.dev/problems/invalid-query). */
            readonly 400: {
                headers: {
                    readonly [name: string]: unknown;
                };
                content: {
                    readonly "application/problem+json": components["schemas"]["Problem"];
                };
            };
            /** @description The credential is missing or not valid (https://assay.dev/problems/invalid-credential). */
            readonly 401: {
                headers: {
                    readonly [name: string]: unknown;
                };
                content: {
                    readonly "application/problem+json": components["schemas"]["Problem"];
                };
            };
            /** @description All seats of the plan are taken (https://assay.dev/problems/seat-required). The request comes from another origin (https://assay.dev/problems/foreign-origin). Your role does not allow this (https://assay.dev/problems/role-required). */
            readonly 403: {
                headers: {
                    readonly [name: string]: unknown;
                };
                content: {
                    readonly "application/problem+json": components["schemas"]["Problem"];
                };
            };
            /** @description There is no such price (https://assay.dev/problems/price-not-found). */
            readonly 404: {
                headers: {
                    readonly [name: string]: unknown;
                };
                content: {
                    readonly "application/problem+json": components["schemas"]["Problem"];
                };
            };
            /** @description Something went wrong on our side (https://assay.dev/problems/internal). */
            readonly 500: {
                headers: {
                    readonly [name: string]: unknown;
                };
                content: {
                    readonly "application/problem+json": components["schemas"]["Problem"];
                };
            };
            /** @description Storage is not available (https://assay.dev/problems/storage-unavailable). The identity provider does not answer (https://assay.dev/problems/identity-unavailable). */
            readonly 503: {
                headers: {
                    readonly [name: string]: unknown;
                };
                content: {
                    readonly "application/problem+json": components["schemas"]["Problem"];
                };
            };
        };
    };
    readonly listResultsSummary: {
        readonly parameters: {
            readonly query?: never;
            readonly header?: never;
            readonly path?: never;
            readonly cookie?: never;
        };
        readonly requestBody?: never;
        readonly responses: {
            /** @description One entry per experiment. */
            readonly 200: {
                headers: {
                    readonly [name: string]: unknown;
                };
                content: {
                    readonly "application/json": readonly components["schemas"]["Results"][];
                };
            };
            /** @description The credential is missing or not valid (https://assay.dev/problems/invalid-credential). */
            readonly 401: {
                headers: {
                    readonly [name: string]: unknown;
                };
                content: {
                    readonly "application/problem+json": components["schemas"]["Problem"];
                };
            };
            /** @description All seats of the plan are taken (https://assay.dev/problems/seat-required). */
            readonly 403: {
                headers: {
                    readonly [name: string]: unknown;
                };
                content: {
                    readonly "application/problem+json": components["schemas"]["Problem"];
                };
            };
            /** @description Something went wrong on our side (https://assay.dev/problems/internal). */
            readonly 500: {
                headers: {
                    readonly [name: string]: unknown;
                };
                content: {
                    readonly "application/problem+json": components["schemas"]["Problem"];
                };
            };
            /** @description Storage is not available (https://assay.dev/problems/storage-unavailable). The identity provider does not answer (https://assay.dev/problems/identity-unavailable). */
            readonly 503: {
                headers: {
                    readonly [name: string]: unknown;
                };
                content: {
                    readonly "application/problem+json": components["schemas"]["Problem"];
                };
            };
        };
    };
    readonly getUsage: {
        readonly parameters: {
            readonly query?: never;
            readonly header?: never;
            readonly path?: never;
            readonly cookie?: never;
        };
        readonly requestBody?: never;
        readonly responses: {
            /** @description The month so far. */
            readonly 200: {
                headers: {
                    readonly [name: string]: unknown;
                };
                content: {
                    readonly "application/json": components["schemas"]["UsageSummary"];
                };
            };
            /** @description The credential is missing or not valid (https://assay.dev/problems/invalid-credential). */
            readonly 401: {
                headers: {
                    readonly [name: string]: unknown;
                };
                content: {
                    readonly "application/problem+json": components["schemas"]["Problem"];
                };
            };
            /** @description All seats of the plan are taken (https://assay.dev/problems/seat-required). */
            readonly 403: {
                headers: {
                    readonly [name: string]: unknown;
                };
                content: {
                    readonly "application/problem+json": components["schemas"]["Problem"];
                };
            };
            /** @description Something went wrong on our side (https://assay.dev/problems/internal). */
            readonly 500: {
                headers: {
                    readonly [name: string]: unknown;
                };
                content: {
                    readonly "application/problem+json": components["schemas"]["Problem"];
                };
            };
            /** @description Storage is not available (https://assay.dev/problems/storage-unavailable). The identity provider does not answer (https://assay.dev/problems/identity-unavailable). */
            readonly 503: {
                headers: {
                    readonly [name: string]: unknown;
                };
                content: {
                    readonly "application/problem+json": components["schemas"]["Problem"];
                };
            };
        };
    };
    readonly getWebhookSecret: {
        readonly parameters: {
            readonly query?: never;
            readonly header?: never;
            readonly path?: never;
            readonly cookie?: never;
        };
        readonly requestBody?: never;
        readonly responses: {
            /** @description The state. */
            readonly 200: {
                headers: {
                    readonly [name: string]: unknown;
                };
                content: {
                    readonly "application/json": components["schemas"]["WebhookSecretStatus"];
                };
            };
            /** @description The credential is missing or not valid (https://assay.dev/problems/invalid-credential). */
            readonly 401: {
                headers: {
                    readonly [name: string]: unknown;
                };
                content: {
                    readonly "application/problem+json": components["schemas"]["Problem"];
                };
            };
            /** @description All seats of the plan are taken (https://assay.dev/problems/seat-required). */
            readonly 403: {
                headers: {
                    readonly [name: string]: unknown;
                };
                content: {
                    readonly "application/problem+json": components["schemas"]["Problem"];
                };
            };
            /** @description Something went wrong on our side (https://assay.dev/problems/internal). */
            readonly 500: {
                headers: {
                    readonly [name: string]: unknown;
                };
                content: {
                    readonly "application/problem+json": components["schemas"]["Problem"];
                };
            };
            /** @description Storage is not available (https://assay.dev/problems/storage-unavailable). The identity provider does not answer (https://assay.dev/problems/identity-unavailable). */
            readonly 503: {
                headers: {
                    readonly [name: string]: unknown;
                };
                content: {
                    readonly "application/problem+json": components["schemas"]["Problem"];
                };
            };
        };
    };
    readonly rotateWebhookSecret: {
        readonly parameters: {
            readonly query?: never;
            readonly header?: never;
            readonly path?: never;
            readonly cookie?: never;
        };
        readonly requestBody?: never;
        readonly responses: {
            /** @description The secret, this once. */
            readonly 201: {
                headers: {
                    readonly [name: string]: unknown;
                };
                content: {
                    readonly "application/json": components["schemas"]["WebhookSecret"];
                };
            };
            /** @description The credential is missing or not valid (https://assay.dev/problems/invalid-credential). */
            readonly 401: {
                headers: {
                    readonly [name: string]: unknown;
                };
                content: {
                    readonly "application/problem+json": components["schemas"]["Problem"];
                };
            };
            /** @description All seats of the plan are taken (https://assay.dev/problems/seat-required). The request comes from another origin (https://assay.dev/problems/foreign-origin). Your role does not allow this (https://assay.dev/problems/role-required). */
            readonly 403: {
                headers: {
                    readonly [name: string]: unknown;
                };
                content: {
                    readonly "application/problem+json": components["schemas"]["Problem"];
                };
            };
            /** @description Something went wrong on our side (https://assay.dev/problems/internal). */
            readonly 500: {
                headers: {
                    readonly [name: string]: unknown;
                };
                content: {
                    readonly "application/problem+json": components["schemas"]["Problem"];
                };
            };
            /** @description Storage is not available (https://assay.dev/problems/storage-unavailable). The identity provider does not answer (https://assay.dev/problems/identity-unavailable). */
            readonly 503: {
                headers: {
                    readonly [name: string]: unknown;
                };
                content: {
                    readonly "application/problem+json": components["schemas"]["Problem"];
                };
            };
        };
    };
    readonly syncIdentity: {
        readonly parameters: {
            readonly query?: never;
            readonly header?: {
                /** @description Names the delivery (or `webhook-id`). */
                readonly "svix-id"?: string;
                /** @description When it was signed, in seconds since 1970; at most five minutes away. */
                readonly "svix-timestamp"?: string;
            };
            readonly path?: never;
            readonly cookie?: never;
        };
        readonly requestBody: {
            readonly content: {
                readonly "application/json": components["schemas"]["ClerkEvent"];
            };
        };
        readonly responses: {
            /** @description It is stored, or nothing to us. */
            readonly 204: {
                headers: {
                    readonly [name: string]: unknown;
                };
                content?: never;
            };
            /** @description The request body is not valid (https://assay.dev/problems/invalid-body). */
            readonly 400: {
                headers: {
                    readonly [name: string]: unknown;
                };
                content: {
                    readonly "application/problem+json": components["schemas"]["Problem"];
                };
            };
            /** @description The signature is missing or not valid (https://assay.dev/problems/invalid-signature). */
            readonly 401: {
                headers: {
                    readonly [name: string]: unknown;
                };
                content: {
                    readonly "application/problem+json": components["schemas"]["Problem"];
                };
            };
            /** @description The request body is too large (https://assay.dev/problems/body-too-large). */
            readonly 413: {
                headers: {
                    readonly [name: string]: unknown;
                };
                content: {
                    readonly "application/problem+json": components["schemas"]["Problem"];
                };
            };
            /** @description This media type is not read here (https://assay.dev/problems/unsupported-media-type). */
            readonly 415: {
                headers: {
                    readonly [name: string]: unknown;
                };
                content: {
                    readonly "application/problem+json": components["schemas"]["Problem"];
                };
            };
            /** @description Too many requests (https://assay.dev/problems/rate-limited). */
            readonly 429: {
                headers: {
                    readonly [name: string]: unknown;
                };
                content: {
                    readonly "application/problem+json": components["schemas"]["Problem"];
                };
            };
            /** @description Something went wrong on our side (https://assay.dev/problems/internal). */
            readonly 500: {
                headers: {
                    readonly [name: string]: unknown;
                };
                content: {
                    readonly "application/problem+json": components["schemas"]["Problem"];
                };
            };
            /** @description Storage is not available (https://assay.dev/problems/storage-unavailable). */
            readonly 503: {
                headers: {
                    readonly [name: string]: unknown;
                };
                content: {
                    readonly "application/problem+json": components["schemas"]["Problem"];
                };
            };
        };
    };
    readonly receiveStripeEvent: {
        readonly parameters: {
            readonly query?: never;
            readonly header?: {
                /** @description Read where Billing-Signature is absent. */
                readonly "Stripe-Signature"?: string;
            };
            readonly path?: never;
            readonly cookie?: never;
        };
        readonly requestBody: {
            readonly content: {
                readonly "application/json": components["schemas"]["StripeEvent"];
            };
        };
        readonly responses: {
            /** @description Taken, or of a type that means nothing here. */
            readonly 204: {
                headers: {
                    readonly [name: string]: unknown;
                };
                content?: never;
            };
            /** @description The request body is not valid (https://assay.dev/problems/invalid-body). */
            readonly 400: {
                headers: {
                    readonly [name: string]: unknown;
                };
                content: {
                    readonly "application/problem+json": components["schemas"]["Problem"];
                };
            };
            /** @description The signature is missing or not valid (https://assay.dev/problems/invalid-signature). */
            readonly 401: {
                headers: {
                    readonly [name: string]: unknown;
                };
                content: {
                    readonly "application/problem+json": components["schemas"]["Problem"];
                };
            };
            /** @description The request body is too large (https://assay.dev/problems/body-too-large). */
            readonly 413: {
                headers: {
                    readonly [name: string]: unknown;
                };
                content: {
                    readonly "application/problem+json": components["schemas"]["Problem"];
                };
            };
            /** @description This media type is not read here (https://assay.dev/problems/unsupported-media-type). */
            readonly 415: {
                headers: {
                    readonly [name: string]: unknown;
                };
                content: {
                    readonly "application/problem+json": components["schemas"]["Problem"];
                };
            };
            /** @description Too many requests (https://assay.dev/problems/rate-limited). */
            readonly 429: {
                headers: {
                    readonly [name: string]: unknown;
                };
                content: {
                    readonly "application/problem+json": components["schemas"]["Problem"];
                };
            };
            /** @description Something went wrong on our side (https://assay.dev/problems/internal). */
            readonly 500: {
                headers: {
                    readonly [name: string]: unknown;
                };
                content: {
                    readonly "application/problem+json": components["schemas"]["Problem"];
                };
            };
            /** @description Storage is not available (https://assay.dev/problems/storage-unavailable). */
            readonly 503: {
                headers: {
                    readonly [name: string]: unknown;
                };
                content: {
                    readonly "application/problem+json": components["schemas"]["Problem"];
                };
            };
        };
    };
    readonly whoami: {
        readonly parameters: {
            readonly query?: never;
            readonly header?: never;
            readonly path?: never;
            readonly cookie?: never;
        };
        readonly requestBody?: never;
        readonly responses: {
            /** @description The caller. */
            readonly 200: {
                headers: {
                    readonly [name: string]: unknown;
                };
                content: {
                    readonly "application/json": components["schemas"]["WhoAmI"];
                };
            };
            /** @description The credential is missing or not valid (https://assay.dev/problems/invalid-credential). */
            readonly 401: {
                headers: {
                    readonly [name: string]: unknown;
                };
                content: {
                    readonly "application/problem+json": components["schemas"]["Problem"];
                };
            };
            /** @description All seats of the plan are taken (https://assay.dev/problems/seat-required). */
            readonly 403: {
                headers: {
                    readonly [name: string]: unknown;
                };
                content: {
                    readonly "application/problem+json": components["schemas"]["Problem"];
                };
            };
            /** @description Something went wrong on our side (https://assay.dev/problems/internal). */
            readonly 500: {
                headers: {
                    readonly [name: string]: unknown;
                };
                content: {
                    readonly "application/problem+json": components["schemas"]["Problem"];
                };
            };
            /** @description Storage is not available (https://assay.dev/problems/storage-unavailable). The identity provider does not answer (https://assay.dev/problems/identity-unavailable). */
            readonly 503: {
                headers: {
                    readonly [name: string]: unknown;
                };
                content: {
                    readonly "application/problem+json": components["schemas"]["Problem"];
                };
            };
        };
    };
}
