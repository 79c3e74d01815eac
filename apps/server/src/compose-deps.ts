import { randomBytes } from "node:crypto";
import { asciiLowerCase, type Clock, type UsageMonth } from "@assay/domain";
import { createAlertSender } from "./alerts/alert-sender.ts";
import type { Billing } from "./billing/billing.ts";
import { createBucketClaims } from "./config/bucket-claims.ts";
import type { ChangeFeed } from "./config/change-feed.ts";
import { createConfigWaits } from "./config/config-waits.ts";
import { createKeyRing } from "./config/key-ring.ts";
import { createKeyUses } from "./config/key-uses.ts";
import { createSnapshots } from "./config/snapshots.ts";
import { bindSeals } from "./data-folder/bind-seals.ts";
import { type DataFolder, damaged } from "./data-folder/data-folder.ts";
import { checkMasterKey, loadSigningKey } from "./data-folder/installation-secrets.ts";
import { createSealer } from "./data-folder/seal.ts";
import type { Deps } from "./deps.ts";
import { createGuardSums } from "./guard/guard-sums.ts";
import { checkDependencies } from "./http/dependency-checks.ts";
import { createRateLimits } from "./http/rate-limits.ts";
import { createSeatCaps } from "./identity/clerk-seat-caps.ts";
import type { SignIn } from "./identity/identity-provider.ts";
import { LOCAL_OWNER, localIdentity } from "./identity/local-identity.ts";
import { providerIdentity } from "./identity/provider-identity.ts";
import { sessionTokens } from "./identity/session-tokens.ts";
import { createImportSlots } from "./import/import-slots.ts";
import { createAllowance, type Spender } from "./ingest/allowance.ts";
import { countAccepted } from "./ingest/count-accepted.ts";
import type { JudgeEndpoint } from "./judging/judge-endpoint.ts";
import { createJudging, noJudging } from "./judging/judging-loop.ts";
import { createMetrics } from "./metrics.ts";
import { createOrgPlans } from "./plans/org-plans.ts";
import type { AnswerEndpoint } from "./rehearsals/answer-endpoint.ts";
import { createRehearsing } from "./rehearsals/rehearsing-loop.ts";
import { createSecurityLog } from "./security/security-log.ts";
import type { ProviderSettings } from "./settings/identity-settings.ts";
import type { Settings } from "./settings.ts";
import { VERSION } from "./version.ts";
import type { WorkerDeps } from "./worker/lead.ts";
import { createUsageMeter } from "./worker/usage-meter.ts";

const COUNT_TIMEOUT_MS = 5_000;

type Parts = Pick<
  Deps,
  "pipeline" | "leaving" | "stopping" | "control" | "events" | "queue" | "clock" | "log" | "newId" | "tracing"
> & {
  readonly settings: Settings;
  readonly folder: DataFolder;
  /** Null when the installation has no judge. */
  readonly endpoint: JudgeEndpoint | null;
  /** Null when nothing can answer the inputs of rehearsals. */
  readonly answers: AnswerEndpoint | null;
  readonly changes: ChangeFeed;
};

/** Makes everything that routes and workers use, on the given engines. Throws when the master key is not the database's. */
export async function composeDeps({
  settings,
  folder,
  endpoint,
  answers,
  changes,
  ...parts
}: Parts): Promise<WorkerDeps> {
  const { control, events, clock, queue, log } = parts;
  const sealer = createSealer(settings.masterKey ?? generatedMasterKey(folder));
  const secrets = { control, folder, sealer, clock, settings };
  await checkMasterKey(secrets);
  await bindSeals(secrets);
  const plans = createOrgPlans({ control, clock, changes }, settings.enforcePlanLimits);
  const meter = createUsageMeter({ control, events, clock });
  const countNow = (spender: Spender, month: UsageMonth) =>
    countAccepted({ spender, month, timeoutMs: COUNT_TIMEOUT_MS }, { queue, meter, events });
  const snapshots = createSnapshots(control, changes);
  const { identity, billing, nightlyAtMinutes, contactPerHour } = settings;
  // With a provider, the local owner's address may belong to another person.
  const owners = settings.platformOwnerEmails ?? (identity.kind === "local" ? [LOCAL_OWNER.email] : []);
  const deps = {
    ...parts,
    changes,
    snapshots,
    guardSums: createGuardSums(events, { isAlone: !control.isShared }),
    configWaits: createConfigWaits(snapshots),
    demoTurns: <T>(orgId: string, work: () => Promise<T>) => control.withLock(`demo ${orgId}`, work),
    replaying: new Set<string>(),
    datasetSlots: createImportSlots(2, 8, "datasets"),
    claims: createBucketClaims({ control, snapshots, clock }),
    keyRing: createKeyRing(control, changes),
    keyUses: createKeyUses({ control, clock }),
    rateLimits: createRateLimits(settings.rateLimits, clock),
    contactPerHour,
    role: settings.role,
    nightlyAtMinutes,
    plans,
    meter,
    allowance: createAllowance({
      ...{ plans, clock, countNow, isShared: control.isShared },
      publicShare: settings.publicAllowanceShare,
    }),
    publicAllowanceShare: settings.publicAllowanceShare,
    identity:
      identity.kind === "local"
        ? localIdentity(await loadSigningKey(secrets), clock)
        : providerIdentity(identity, clock, await signInAt(identity, secrets)),
    seatCaps: createSeatCaps(identity, { control, plans, log }),
    billing: await billingAt(billing, clock),
    sealer,
    security: createSecurityLog(parts),
    alerts: createAlertSender({ settings: settings.alerts, publicUrl: settings.publicUrl, sealer, clock }),
    metrics: createMetrics({
      queue,
      control,
      checkDependencies: () => checkDependencies(parts),
      now: () => clock.now(),
      build: { version: VERSION, role: settings.role },
    }),
    isPlatformOwner: (email: string) => owners.includes(asciiLowerCase(email)),
  };
  const isAsked = settings.role === "api";
  const judging = endpoint === null ? noJudging : createJudging({ ...deps, endpoint, isAsked });
  changes.subscribe("judging", () => judging.wake());
  const rehearsing = createRehearsing({ answers, judge: endpoint, isWorker: !isAsked }, deps);
  changes.subscribe("rehearsing", () => rehearsing.wake());
  return { ...deps, judging, rehearsing };
}

/** Stripe's library is imported only when something is sold. */
async function billingAt(settings: Settings["billing"], clock: Clock): Promise<Billing | null> {
  if (settings === null) return null;
  const { stripeBilling } = await import("./billing/stripe-billing.ts");
  return stripeBilling(settings, clock);
}

/** Creates the sign-in at the provider. Null where something in front of this installation signs people in. */
async function signInAt(
  { issuer, client }: ProviderSettings,
  secrets: Parameters<typeof loadSigningKey>[0],
): Promise<SignIn | null> {
  if (client === null) return null;
  const { clock } = secrets;
  // Uses its own audience, so that after a change of identity, tokens of the local identity or of another provider are
  // refused.
  const rules = { audience: `assay ${issuer}`, vouchesForEmails: false };
  const tokens = sessionTokens(await loadSigningKey(secrets), rules, clock);
  const { oidcClient } = await import("./identity/oidc-client.ts");
  return { client: oidcClient(issuer, client, clock), tokens };
}

/** Reads the generated master key of an installation whose settings have none. */
export function generatedMasterKey(folder: DataFolder): Buffer {
  const text = folder.secret("master.key", () => Buffer.from(randomBytes(32).toString("base64")));
  const key = Buffer.from(text.toString("utf8").trim(), "base64");
  if (key.length !== 32) throw damaged("master.key");
  return key;
}
