import type { Clock, ControlPlane, EventStore, IngestQueue, KeyedMutex } from "@assay/domain";
import type { Logger } from "pino";
import type { AlertSender } from "./alerts/alert-sender.ts";
import type { Billing } from "./billing/billing.ts";
import type { BucketClaims } from "./config/bucket-claims.ts";
import type { ChangeFeed } from "./config/change-feed.ts";
import type { ConfigWaits } from "./config/config-waits.ts";
import type { KeyRing } from "./config/key-ring.ts";
import type { KeyUses } from "./config/key-uses.ts";
import type { Snapshots } from "./config/snapshots.ts";
import type { Sealer } from "./data-folder/seal.ts";
import type { KnownGuardSums } from "./guard/guard-sums.ts";
import type { RateLimits } from "./http/rate-limits.ts";
import type { SeatCaps } from "./identity/clerk-seat-caps.ts";
import type { IdentityProvider } from "./identity/identity-provider.ts";
import type { ImportSlots } from "./import/import-slots.ts";
import type { Allowance } from "./ingest/allowance.ts";
import type { Judging } from "./judging/judging.ts";
import type { Metrics } from "./metrics.ts";
import type { PipelineThreads } from "./pipeline/pipeline-threads.ts";
import type { OrgPlans } from "./plans/org-plans.ts";
import type { Rehearsing } from "./rehearsals/rehearsing.ts";
import type { SecurityLog } from "./security/security-log.ts";
import type { RoleSetting } from "./settings.ts";
import type { Tracing } from "./tracing/tracing.ts";
import type { UsageMeter } from "./worker/usage-meter.ts";

/** Everything that routes and workers use, made once by the composition root. */
export interface Deps {
  readonly control: ControlPlane;
  readonly events: EventStore;
  readonly queue: IngestQueue;
  /** Appends events and keeps the sums of watched experiments. */
  readonly guardSums: KnownGuardSums;
  readonly changes: ChangeFeed;
  readonly snapshots: Snapshots;
  readonly configWaits: ConfigWaits;
  readonly claims: BucketClaims;
  readonly keyRing: KeyRing;
  readonly keyUses: KeyUses;
  readonly rateLimits: RateLimits;
  readonly plans: OrgPlans;
  readonly meter: UsageMeter;
  readonly allowance: Allowance;
  /** The share of a month's allowance that publishable keys may use, 0 to 1. */
  readonly publicAllowanceShare: number;
  readonly identity: IdentityProvider;
  readonly seatCaps: SeatCaps;
  /** Null when the installation has no billing. */
  readonly billing: Billing | null;
  readonly sealer: Sealer;
  readonly security: SecurityLog;
  readonly judging: Judging;
  readonly rehearsing: Rehearsing;
  readonly alerts: AlertSender;
  readonly pipeline: Pick<
    PipelineThreads,
    "analyze" | "analyzeHoldback" | "analyzeRehearsal" | "count" | "prepare" | "replay" | "writeEvidence"
  >;
  /** Orgs with an experiment that this process is replaying. */
  readonly replaying: Set<string>;
  /** What reads files and calls for datasets takes one. */
  readonly datasetSlots: ImportSlots;
  /** Per org, one request at a time loads or removes the demo, across all processes. */
  readonly demoTurns: KeyedMutex;
  /** Aborted when the process is asked to stop: it still answers, but is no longer ready. */
  readonly leaving: AbortSignal;
  /** Aborted when the service stops: long work ends at a point from which it can resume. */
  readonly stopping: AbortSignal;
  readonly clock: Clock;
  readonly newId: () => string;
  readonly log: Logger;
  readonly metrics: Metrics;
  readonly tracing: Tracing;
  /** The part of the service that this process runs. */
  readonly role: RoleSetting;
  readonly isPlatformOwner: (email: string) => boolean;
  /** The most contact messages per hour from one network. */
  readonly contactPerHour: number;
  /** The time of the nightly pipeline, shown on the platform owner's health page: minutes after midnight UTC. */
  readonly nightlyAtMinutes: number;
}
