import { setTimeout as sleep } from "node:timers/promises";
import type { ControlPlane, Org } from "@assay/domain";
import type { Logger } from "pino";
import type { OrgPlans } from "../plans/org-plans.ts";
import type { IdentitySettings, ProviderSettings } from "../settings/identity-settings.ts";

/** How a push of one org's seat cap ended. */
export interface SeatPush {
  readonly orgId: string;
  readonly seats: number | null;
  /** Null: the provider took it. */
  readonly fault: string | null;
}

/** Tells the identity provider how many members each org's plan allows. */
export interface SeatCaps {
  /** Whether there is a provider to tell: only where its API key is set. */
  readonly isPushed: boolean;
  /** Pushes the cap of one org after its plan changed. Never rejects: a failure is logged, and the next resync makes it good. */
  push(orgId: string): Promise<void>;
  /** Pushes the caps of all orgs; harmless to repeat. Empty where there is nobody to tell. */
  resync(): Promise<readonly SeatPush[]>;
}

const TIMEOUT_MS = 10_000;
const LONGEST_RETRY_MS = 30_000;
/** Orgs told at once by a resync: far below what Clerk's API takes. */
const AT_ONCE = 4;

type ClerkApi = NonNullable<ProviderSettings["api"]>;

interface SeatDeps {
  readonly control: Pick<ControlPlane, "orgs" | "plans">;
  readonly plans: Pick<OrgPlans, "seats">;
  readonly log: Logger;
}

/** Pushes seat caps to Clerk where its API key is set; elsewhere there is nobody to tell. */
export function createSeatCaps(settings: IdentitySettings, deps: SeatDeps): SeatCaps {
  const api = settings.kind === "local" ? null : settings.api;
  return api === null
    ? { isPushed: false, push: async () => {}, resync: async () => [] }
    : clerkSeatCaps(api, deps);
}

function clerkSeatCaps(api: ClerkApi, { control, plans, log }: SeatDeps): SeatCaps {
  /** The last push of each org that is under way: the next waits for it, or an older cap could arrive last. */
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
      if (fault !== null) log.warn({ orgId, fault }, "the identity provider did not take a seat cap");
    } catch (error) {
      log.error({ orgId, err: error }, "a seat cap could not be pushed");
    }
  }

  async function resync(): Promise<readonly SeatPush[]> {
    const orgs = await control.orgs.list();
    const rest = orgs.values();
    const pushed: SeatPush[] = [];
    const worker = async () => {
      for (const org of rest) pushed.push(await pushInTurn(org));
    };
    await Promise.all(Array.from({ length: AT_ONCE }, worker));
    return pushed;
  }

  return { isPushed: true, push, resync };
}

/** Tells Clerk one org's cap, 0 for none. Returns what went wrong, or null; once more after a "too many requests". */
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

function retryAfterMs(response: Response): number {
  const seconds = Number(response.headers.get("retry-after") ?? "1");
  return Number.isFinite(seconds) ? Math.min(Math.max(seconds, 0) * 1000, LONGEST_RETRY_MS) : 1000;
}

/** Names the status and Clerk's error code; never its words, which may repeat what was sent. */
async function faultOf(response: Response): Promise<string | null> {
  const text = await response.text();
  if (response.ok) return null;
  const code = /"code"\s*:\s*"([a-z_]{1,60})"/.exec(text)?.[1];
  return `Clerk answered ${response.status}${code === undefined ? "" : ` (${code})`}.`;
}
