import { type Clock, type ControlPlane, installationBinding } from "@assay/domain";
import { type Sealer, UNBOUND } from "./seal.ts";

interface BindParts {
  readonly control: Pick<ControlPlane, "installationSecrets" | "seals">;
  readonly sealer: Sealer;
  readonly clock: Clock;
}

/** The name of the secret that says since when seals are bound. */
const BOUND_SINCE = "seals-bound-since";
/** Processes of the previous version, during a roll-out or after a roll-back, cannot open bound seals. */
const ROLL_OUT_MS = 24 * 60 * 60_000;

/**
 * Seals again the secrets that a previous version sealed without a binding, at the first start a day after the upgrade.
 * Until then such a secret is bound when it is next replaced. Secrets that the master key does not open stay unchanged.
 */
export async function bindSeals({
  control: { installationSecrets, seals },
  sealer,
  clock,
}: BindParts): Promise<void> {
  const now = clock.now();
  const binding = installationBinding(BOUND_SINCE);
  const mark = { name: BOUND_SINCE, sealed: sealer.seal(String(now), binding), createdAt: now };
  const since = Number(sealer.open(await installationSecrets.putFirst(mark), binding) ?? now);
  if (now - since < ROLL_OUT_MS) return;
  for (const { binding, sealed } of await seals.listStartingWith(UNBOUND)) {
    const plain = sealer.open(sealed, binding);
    if (plain === null || binding.orgId === null) continue;
    await seals.replace(binding.orgId, { from: sealed, to: sealer.seal(plain, binding) });
  }
}
