import { setTimeout as sleep } from "node:timers/promises";
import { type ControlPlane, type Org, readRetryAfter } from "@assay/domain";
import type { Logger } from "pino";
import type { OrgPlans } from "../plans/org-plans.ts";
import type { IdentitySettings, ProviderSettings } from "../settings/identity-settings.ts";

/** The outcome of pushing one org's seat cap. */
export interface SeatPush {
  readonly orgId: string;
  readonly seats: number | null;
  /** Null when the provider accepted the cap. */
  readonly fault: string | null;
}

/** Pushes how many members each org's plan allows to the identity provider. */
export interface SeatCaps {
  /** Whether caps are pushed: only when the provider's API key is set. */
  readonly isPushed: boolean;
  /** Pushes the cap of one org after its plan changed. Never rejects: a failure is logged, and the next resync repairs it. */
  push(orgId: string): Promise<void>;
  /** Pushes the caps of all orgs; harmless to repeat. Returns nothing when caps are not pushed. */
  resync(): Promise<readonly SeatPush[]>;
}

const TIMEOUT_MS = 10_000;
/** The wait after a refusal that does not say how long. */
const USUAL_RETRY_MS = 1_000;
const LONGEST_RETRY_MS = 30_000;
/** Concurrent requests of a resync, far below the limits of Clerk's API. */
const CONCURRENCY = 4;

type ClerkApi = NonNullable<ProviderSettings["api"]>;

interface SeatDeps {
  readonly control: Pick<ControlPlane, "orgs" | "plans">;
  readonly plans: Pick<OrgPlans, "seats">;
  readonly log: Logger;
}

/** Pushes seat caps to Clerk when its API key is set; otherwise does nothing. */
export function createSeatCaps(settings: IdentitySettings, deps: SeatDeps): SeatCaps {
  const api = settings.kind === "local" ? null : settings.api;
  return api === null
    ? { isPushed: false, push: async () => {}, resync: async () => [] }
    : clerkSeatCaps(api, deps);
}

function clerkSeatCaps(api: ClerkApi, { control, plans, log }: SeatDeps): SeatCaps {
  /** Each org's last push in flight. The next push waits for it, because otherwise an older cap could arrive last. */
  const inFlight = new Map<string, Promise<unknown>>();

  async function pushNow({ id, externalId }: Org): Promise<SeatPush> {
    const seats = await plans.seats(id, control);
    return { orgId: id, seats, fault: await putCap(externalId, seats, api) };
  }

  async function pushInTurn(org: Org): Promise<SeatPush> {
    const turn = (inFlight.get(org.id) ?? Promise.resolve()).then(() => pushNow(org));
    const settled = turn.catch(() => {});
    inFlight.set(org.id, settled);
    try {
      return await turn;
    } finally {
      if (inFlight.get(org.id) === settled) inFlight.delete(org.id);
    }
  }

  async function push(orgId: string): Promise<void> {
    try {
      const org = await control.orgs.find(orgId);
      const fault = org === null ? null : (await pushInTurn(org)).fault;
      if (fault !== null) log.warn({ orgId, fault }, "the identity provider did not accept a seat cap");
    } catch (error) {
      log.error({ orgId, err: error }, "could not push a seat cap");
    }
  }

  async function resync(): Promise<readonly SeatPush[]> {
    const orgs = await control.orgs.list();
    const rest = orgs.values();
    const pushed: SeatPush[] = [];
    const worker = async () => {
      for (const org of rest) pushed.push(await pushInTurn(org));
    };
    await Promise.all(Array.from({ length: CONCURRENCY }, worker));
    return pushed;
  }

  return { isPushed: true, push, resync };
}

/** Sends one org's cap to Clerk, 0 for none, and retries once after a 429. Returns what went wrong, or null. */
async function putCap(externalId: string, seats: number | null, api: ClerkApi): Promise<string | null> {
  try {
    const response = await patchOrg(externalId, seats, api);
    if (response.status !== 429) return await faultOf(response);
    await response.body?.cancel();
    await sleep(retryAfterMs(response), undefined, { ref: false });
    return await faultOf(await patchOrg(externalId, seats, api));
  } catch (error) {
    const isTimeout = error instanceof DOMException && error.name === "TimeoutError";
    return isTimeout ? `Clerk did not answer within ${TIMEOUT_MS / 1000} s.` : "Clerk cannot be reached.";
  }
}

function patchOrg(externalId: string, seats: number | null, { url, key }: ClerkApi): Promise<Response> {
  return fetch(`${url}/organizations/${encodeURIComponent(externalId)}`, {
    method: "PATCH",
    headers: { authorization: `Bearer ${key}`, "content-type": "application/json" },
    body: JSON.stringify({ max_allowed_memberships: seats ?? 0 }),
    redirect: "error",
    signal: AbortSignal.timeout(TIMEOUT_MS),
  });
}

function retryAfterMs({ headers }: Response): number {
  const asked = readRetryAfter(headers.get("retry-after"), Date.now());
  return Math.min(asked ?? USUAL_RETRY_MS, LONGEST_RETRY_MS);
}

/** Names the status and Clerk's error code, but not its message, which may repeat what was sent. */
async function faultOf(response: Response): Promise<string | null> {
  const text = await response.text();
  if (response.ok) return null;
  const code = /"code"\s*:\s*"([a-z_]{1,60})"/.exec(text)?.[1];
  return `Clerk answered ${response.status}${code === undefined ? "" : ` (${code})`}.`;
}
