import { randomBytes } from "node:crypto";
import type { AlertChannelSchema, AlertDeliverySchema, ValueOf } from "@assay/contract";
import { alerts as operations } from "@assay/contract";
import {
  type AlertChannel,
  type AlertDelivery,
  alertBinding,
  type Caller,
  type ChannelKind,
  type ChannelTarget,
  DomainError,
  invalidBody,
  MAX_CHANNELS,
  SECRET_OVERLAP_MS,
  shortenedUrl,
} from "@assay/domain";
import { RefusedAddress } from "../../alerts/address-guard.ts";
import { openTarget, sealTarget } from "../../alerts/channel-target.ts";
import { messageAnswer } from "../../alerts/message-body.ts";
import { auditEntry } from "../../audit-entry.ts";
import type { Deps } from "../../deps.ts";
import { fieldDiff } from "../../field-diff.ts";
import { defineRoute } from "../../http/define-route.ts";
import { pageAnswer, toPageQuery } from "../../http/page.ts";

export const listAlertChannels = defineRoute(operations.listAlertChannels, async ({ caller }, deps) => {
  const channels = await deps.control.alertChannels.list(caller.orgId);
  return {
    items: channels.map((channel) => channelAnswer(channel, deps)),
    emailConfigured: deps.alerts.hasMail,
  };
});

export const createAlertChannel = defineRoute(
  operations.createAlertChannel,
  async ({ body, caller, request, reply }, deps) => {
    const { name, kind, types = null, on = true } = body;
    const { orgId } = caller;
    const target = await targetOf(kind, body, deps);
    if (target === null) throw missing(kind);
    const key = { orgId, id: deps.newId() };
    const secret = kind === "webhook" ? newSecret() : null;
    const channel: AlertChannel = {
      ...{ ...key, name, kind, types, isOn: on, createdAt: deps.clock.now() },
      target: sealTarget(target, key, deps.sealer),
      secret: secret && deps.sealer.seal(secret, alertBinding(key, "secret")),
      ...{ previousSecret: null, previousUntil: null, failingSince: null },
    };
    await deps.control.transaction(async (stores) => {
      // Prevents two simultaneous requests from both creating the last one.
      await stores.orgs.lock(orgId);
      if ((await stores.alertChannels.list(orgId)).length >= MAX_CHANNELS) throw tooMany();
      await stores.alertChannels.create(channel);
      const entry = { ...entryOf("create", channel), summary: `Made the alert channel ${name} (${kind}).` };
      await stores.audit.record(auditEntry(caller, entry, deps));
    });
    if (secret !== null) deps.security.act(secretMade(caller), request);
    reply.header("cache-control", "no-store");
    return { ...channelAnswer(channel, deps), secret };
  },
);

export const changeAlertChannel = defineRoute(
  operations.changeAlertChannel,
  async ({ params, body, caller }, deps) => {
    const { kind } = await getChannel(caller, params.id, deps);
    const target = await targetOf(kind, body, deps);
    const changed = await deps.control.transaction(async (stores) => {
      await stores.orgs.lock(caller.orgId);
      const before = await getChannel(caller, params.id, { control: stores });
      const after: AlertChannel = {
        ...before,
        name: body.name ?? before.name,
        types: body.types === undefined ? before.types : body.types,
        isOn: body.on ?? before.isOn,
        target: target === null ? before.target : sealTarget(target, before, deps.sealer),
        // The failures were those of the previous address.
        failingSince: target === null ? before.failingSince : null,
      };
      const [from, to] = [auditView(before, deps), auditView(after, deps)];
      const diff = fieldDiff(from, to, Object.keys(to));
      if (target === null && Object.keys(diff).length === 0) return before;
      await stores.alertChannels.put(after);
      if (!after.isOn) await stores.alertDeliveries.drop(after, "The channel was switched off.");
      // The shortened address may look the same as before.
      const where = target === null ? "" : ", and where it sends";
      const summary = `Changed the alert channel ${before.name}${where}.`;
      await stores.audit.record(auditEntry(caller, { ...entryOf("change", after), summary, diff }, deps));
      return after;
    });
    return channelAnswer(changed, deps);
  },
);

export const removeAlertChannel = defineRoute(
  operations.removeAlertChannel,
  async ({ params, caller }, deps) => {
    await deps.control.transaction(async (stores) => {
      const channel = await getChannel(caller, params.id, { control: stores });
      await stores.alertChannels.remove(caller.orgId, channel.id);
      const entry = { ...entryOf("remove", channel), summary: `Removed the alert channel ${channel.name}.` };
      await stores.audit.record(auditEntry(caller, entry, deps));
    });
  },
);

export const rotateAlertSecret = defineRoute(
  operations.rotateAlertSecret,
  async ({ params, caller, request, reply }, deps) => {
    const { orgId } = caller;
    const secret = newSecret();
    const previousUntil = deps.clock.now() + SECRET_OVERLAP_MS;
    await deps.control.transaction(async (stores) => {
      await stores.orgs.lock(orgId);
      const channel = await getChannel(caller, params.id, { control: stores });
      if (channel.secret === null)
        throw new DomainError("alert-channel-unsigned", "Only webhook messages are signed with a secret.");
      const sealed = deps.sealer.seal(secret, alertBinding(channel, "secret"));
      await stores.alertChannels.put({
        ...channel,
        ...{ secret: sealed, previousSecret: channel.secret, previousUntil },
      });
      const summary = `Made a new secret for the alert channel ${channel.name}.`;
      await stores.audit.record(auditEntry(caller, { ...entryOf("rotate-secret", channel), summary }, deps));
    });
    deps.security.act(secretMade(caller), request);
    reply.header("cache-control", "no-store");
    return { secret, previousSecretUntil: previousUntil };
  },
);

export const testAlertChannel = defineRoute(operations.testAlertChannel, async ({ params, caller }, deps) => {
  const channel = await getChannel(caller, params.id, deps);
  deps.rateLimits.alertAttempts.take(caller.orgId);
  const { orgId, id: channelId, name } = channel;
  const at = deps.clock.now();
  const message = { type: "test", at, data: { channel: name } } as const;
  const id = deps.newId();
  const { isDelivered, code, answer } = await deps.alerts.attempt(channel, { id, message });
  const delivery: AlertDelivery = {
    ...{ id, orgId, channelId, message, createdAt: at, attempts: 1, firstAt: at, lastAt: at, nextAt: null },
    ...{ status: isDelivered ? "delivered" : "failed", code, answer },
  };
  await deps.control.alertDeliveries.put(delivery);
  if (isDelivered) await deps.control.alertChannels.markFailing(channel, null);
  return deliveryAnswer(delivery);
});

export const listAlertDeliveries = defineRoute(
  operations.listAlertDeliveries,
  async ({ params, query, caller }, deps) => {
    const { orgId, id } = await getChannel(caller, params.id, deps);
    return pageAnswer(await deps.control.alertDeliveries.list(orgId, id, toPageQuery(query)), deliveryAnswer);
  },
);

export const replayAlertDelivery = defineRoute(
  operations.replayAlertDelivery,
  async ({ params, caller }, deps) => {
    const { control, clock } = deps;
    const channel = await control.alertChannels.find(caller.orgId, params.id);
    if (channel !== null && !channel.isOn)
      throw new DomainError(
        "alert-channel-off",
        `Switch ${channel.name} on before you send a delivery again.`,
      );
    deps.rateLimits.alertAttempts.take(caller.orgId);
    const key = { orgId: caller.orgId, channelId: params.id, id: params.deliveryId };
    const delivery =
      channel &&
      ((await control.alertDeliveries.replay(key, clock.now())) ?? (await control.alertDeliveries.find(key)));
    if (delivery === null)
      throw new DomainError("alert-delivery-not-found", "This channel has no delivery with this id.");
    return deliveryAnswer(delivery);
  },
);

/** The format of Standard Webhooks, whose libraries read the secret unchanged. */
const newSecret = (): string => `whsec_${randomBytes(32).toString("base64")}`;

const secretMade = ({ orgId, userId: actor }: Caller) =>
  ({ name: "security.webhook_secret.rotated", orgId, actor }) as const;

async function getChannel(
  { orgId }: Pick<Caller, "orgId">,
  id: string,
  { control }: { readonly control: Pick<Deps["control"], "alertChannels"> },
): Promise<AlertChannel> {
  const channel = await control.alertChannels.find(orgId, id);
  if (channel !== null) return channel;
  throw new DomainError("alert-channel-not-found", "No alert channel of your organization has this id.");
}

interface SentTarget {
  readonly url?: string | undefined;
  readonly addresses?: readonly string[] | undefined;
}

/** Checks the address that a channel of this kind sends to. Null when the body has none. */
async function targetOf(
  kind: ChannelKind,
  { url, addresses }: SentTarget,
  { alerts }: Pick<Deps, "alerts">,
): Promise<ChannelTarget | null> {
  const [field, foreign] = kind === "email" ? ["addresses", "url"] : ["url", "addresses"];
  if ((kind === "email" ? url : addresses) !== undefined)
    throw invalidBody([{ pointer: `/${foreign}`, detail: `is not for the kind ${kind}: send ${field}.` }]);
  if (kind === "email") {
    if (addresses === undefined) return null;
    if (!alerts.hasMail)
      throw new DomainError(
        "mail-not-configured",
        "Email needs a mail server: ask the person who runs this installation to set ASSAY_SMTP_URL and ASSAY_SMTP_FROM.",
      );
    return { kind, addresses: [...new Set(addresses)] };
  }
  if (url === undefined) return null;
  const parsed = URL.parse(url);
  if (parsed === null)
    throw invalidBody([{ pointer: "/url", detail: "must be an address such as https://example.com/hook." }]);
  try {
    await alerts.guard.resolve(parsed);
  } catch (error) {
    if (error instanceof RefusedAddress) throw invalidBody([{ pointer: "/url", detail: error.message }]);
    throw error;
  }
  return { kind, url };
}

function missing(kind: ChannelKind): DomainError {
  const field = kind === "email" ? "addresses" : "url";
  return invalidBody([
    { pointer: `/${field}`, detail: `is missing: a channel of the kind ${kind} needs it.` },
  ]);
}

function tooMany(): DomainError {
  return new DomainError(
    "too-many-alert-channels",
    `Your organization has ${MAX_CHANNELS} alert channels, the maximum: remove one that is no longer needed.`,
  );
}

const entryOf = (action: string, { id }: Pick<AlertChannel, "id">) => ({
  ...{ action: `alert-channel.${action}`, targetType: "alert-channel", targetId: id },
});

/** The fields of a channel that the audit keeps, without secrets. */
function auditView(channel: AlertChannel, deps: Pick<Deps, "sealer">) {
  return { name: channel.name, types: channel.types, on: channel.isOn, ...shownTarget(channel, deps) };
}

function shownTarget(channel: AlertChannel, { sealer }: Pick<Deps, "sealer">) {
  const target = openTarget(channel, sealer);
  if (target === null) return { url: null, addresses: null };
  return target.kind === "email"
    ? { url: null, addresses: target.addresses }
    : { url: shortenedUrl(target.url), addresses: null };
}

function channelAnswer(
  channel: AlertChannel,
  deps: Pick<Deps, "sealer" | "clock">,
): ValueOf<typeof AlertChannelSchema> {
  const { id, name, kind, types, isOn, createdAt, failingSince, previousUntil } = channel;
  const isPreviousValid = previousUntil !== null && deps.clock.now() < previousUntil;
  return {
    ...{ id, name, kind, types, on: isOn, createdAt, failingSince },
    ...shownTarget(channel, deps),
    previousSecretUntil: isPreviousValid ? previousUntil : null,
  };
}

function deliveryAnswer({ message, ...delivery }: AlertDelivery): ValueOf<typeof AlertDeliverySchema> {
  const { id, createdAt, status, attempts, lastAt, nextAt, code, answer } = delivery;
  return { id, createdAt, status, attempts, lastAt, nextAt, code, answer, message: messageAnswer(message) };
}
