import { type AlertChannel, alertBinding, type ChannelTarget } from "@assay/domain";
import type { Sealer } from "../data-folder/seal.ts";

type SealedTarget = Pick<AlertChannel, "orgId" | "id" | "target">;

export function sealTarget(
  target: ChannelTarget,
  channel: Pick<AlertChannel, "orgId" | "id">,
  sealer: Sealer,
): string {
  return sealer.seal(JSON.stringify(target), alertBinding(channel, "target"));
}

/** Opens the target of a channel. Null when it was sealed with another master key. */
export function openTarget(channel: SealedTarget, sealer: Sealer): ChannelTarget | null {
  const text = sealer.open(channel.target, alertBinding(channel, "target"));
  return text === null ? null : (JSON.parse(text) as ChannelTarget);
}

/** The secrets that sign now, newest first. Leaves out those that cannot be opened. */
export function openSecrets(channel: AlertChannel, now: number, sealer: Sealer): readonly string[] {
  const { secret, previousSecret, previousUntil } = channel;
  const isPreviousValid = previousUntil !== null && now < previousUntil;
  return [secret, isPreviousValid ? previousSecret : null].flatMap((sealed) => {
    const opened = sealed === null ? null : sealer.open(sealed, alertBinding(channel, "secret"));
    return opened === null ? [] : [opened];
  });
}
