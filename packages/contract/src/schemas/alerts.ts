import {
  ALERT_TYPES,
  CHANNEL_KINDS,
  DELIVERY_STATUSES,
  MAX_ADDRESSES,
  MAX_CHANNELS,
  SMALLER_UNITS,
  VERDICTS,
} from "@assay/domain";
import { Type } from "typebox";
import { Email, Id, Instant, InstantOf, Line, NextCursor, Nullable, OneOf, Share, strict } from "./shared.ts";

const MAX_URL = 2_000;
const types = Type.Array(OneOf(ALERT_TYPES), {
  minItems: 1,
  maxItems: ALERT_TYPES.length,
  uniqueItems: true,
});

const url = Type.String({
  minLength: 1,
  maxLength: MAX_URL,
  description:
    "The https:// address of a `webhook`, `slack` or `teams` channel. It may contain a token, so responses show only part of it.",
});
const addresses = Type.Array(Email, {
  minItems: 1,
  maxItems: MAX_ADDRESSES,
  description: "Recipients of an `email` channel.",
});
const wanted = Type.Union([types, Type.Null()], {
  description:
    "The types of alerts that the channel gets. Null (default): all types, including types of later versions.",
});

export const AlertChannelRequest = Type.Object(
  {
    name: Line(100),
    kind: OneOf(CHANNEL_KINDS),
    url: Type.Optional(url),
    addresses: Type.Optional(addresses),
    types: Type.Optional(wanted),
    on: Type.Optional(Type.Boolean({ description: "Default: true." })),
  },
  { ...strict, $id: "AlertChannelRequest" },
);

export const AlertChannelChange = Type.Object(
  {
    name: Type.Optional(Line(100)),
    url: Type.Optional(url),
    addresses: Type.Optional(addresses),
    types: Type.Optional(wanted),
    on: Type.Optional(
      Type.Boolean({
        description: "false: the channel gets no new alerts, and waiting alerts are not sent.",
      }),
    ),
  },
  { ...strict, $id: "AlertChannelChange" },
);

const channel = {
  id: Id,
  name: Type.String(),
  kind: OneOf(CHANNEL_KINDS),
  url: Type.Union([Type.String(), Type.Null()], {
    description: "The address, shortened. Null for `email`.",
  }),
  addresses: Nullable(Type.Array(Type.String())),
  types: Nullable(Type.Array(OneOf(ALERT_TYPES))),
  on: Type.Boolean(),
  created_at: Instant,
  failing_since: Type.Union([Instant, Type.Null()], {
    description:
      "When the failing message was first tried. Set once a message has failed five times (about 8 minutes) or for good; null again after a message arrives. New alerts are still tried.",
  }),
  previous_secret_until: Type.Union([Instant, Type.Null()], {
    description: "Until when the previous secret also signs. Null: only one secret signs.",
  }),
};

export const AlertChannelSchema = Type.Object(channel, { $id: "AlertChannel" });
export const NewAlertChannel = Type.Object(
  {
    ...channel,
    secret: Type.Union([Type.String(), Type.Null()], {
      description: "The secret that signs a `webhook` channel's messages. No other response contains it.",
    }),
  },
  { $id: "NewAlertChannel" },
);
export const AlertChannelList = Type.Object(
  {
    items: Type.Array(AlertChannelSchema, { maxItems: MAX_CHANNELS }),
    email_configured: Type.Boolean({
      description: "Whether this installation can send mail (ASSAY_SMTP_URL).",
    }),
  },
  { $id: "AlertChannelList" },
);

export const AlertSecret = Type.Object(
  {
    secret: Type.String({ description: "The new secret. No other response contains it." }),
    previous_secret_until: InstantOf("Until when the previous secret signs too."),
  },
  { $id: "AlertSecret" },
);

const experiment = Type.Object({
  id: Id,
  name: Type.String(),
  unit: Type.Optional(
    OneOf(SMALLER_UNITS, { description: "What the experiment assigns and counts. Absent: users." }),
  ),
});
const day = Type.String({ format: "date", description: "The UTC day that the night analyzed." });
const usage = Type.Object({
  month: Type.String({ description: "UTC calendar month, YYYY-MM." }),
  events: Type.Integer(),
  allowance: Type.Integer(),
});

/** The `data` of each type of message. */
const DATA = {
  "experiment.ready": Type.Object({
    ...{ experiment, day },
    state: OneOf(VERDICTS),
    treatment: Nullable(Type.String()),
  }),
  "experiment.srm": Type.Object({ experiment, day, p_value: Type.Number() }),
  "experiment.health_critical": Type.Object({
    ...{ experiment, day },
    code: Type.String({ description: "Code of the remark in the run's `health`." }),
    detail: Type.String(),
  }),
  "experiment.no_traffic": Type.Object({
    experiment,
    last_exposure_on: Type.String({ format: "date" }),
  }),
  "experiment.held": Type.Object({ experiment, reason: Type.String() }),
  "experiment.resumed": Type.Object({ experiment, reason: Type.String() }),
  "experiment.stage": Type.Object({
    experiment,
    stage: Type.Integer({ minimum: 1 }),
    stages: Type.Integer({ minimum: 1 }),
    share: Share,
  }),
  "judge.down": Type.Object({ model: Type.String(), detail: Type.String(), since: Instant }),
  "usage.80": usage,
  "usage.100": usage,
  "key.unusual": Type.Object({
    day: Type.String({ format: "date" }),
    events: Type.Integer(),
    limit: Type.Integer(),
  }),
  test: Type.Object({ channel: Type.String() }),
};
export const MESSAGE_TYPES = [...ALERT_TYPES, "test"] as const;

/** The schemas of the messages, by type. */
export const ALERT_MESSAGES = Object.fromEntries(
  MESSAGE_TYPES.map((type) => [
    type,
    Type.Object({ type: OneOf([type]), timestamp: Instant, data: DATA[type] }),
  ]),
);

export const AlertMessageSchema = Type.Object(
  {
    type: OneOf(MESSAGE_TYPES),
    timestamp: InstantOf("When the fact was found."),
    data: Type.Union([
      DATA["experiment.ready"],
      DATA["experiment.srm"],
      DATA["experiment.health_critical"],
      DATA["experiment.no_traffic"],
      DATA["experiment.held"],
      DATA["experiment.resumed"],
      DATA["experiment.stage"],
      DATA["judge.down"],
      DATA["usage.80"],
      DATA["key.unusual"],
      DATA.test,
    ]),
  },
  { $id: "AlertMessage", description: "The body that a `webhook` channel receives (docs/alerts.md)." },
);

const delivery = {
  id: Type.String({ format: "uuid", description: "The `webhook-id` of every attempt." }),
  message: AlertMessageSchema,
  created_at: Instant,
  status: OneOf(DELIVERY_STATUSES),
  attempts: Type.Integer({ description: "Attempts since the alert was raised or last replayed." }),
  last_at: Nullable(Instant),
  next_at: Type.Union([Instant, Type.Null()], {
    description: "When the next attempt is due. Null unless the delivery is waiting.",
  }),
  code: Type.Union([Type.Integer(), Type.Null()], {
    description: "HTTP or SMTP status of the last attempt. Null: there was no response.",
  }),
  answer: Type.Union([Type.String(), Type.Null()], {
    description:
      "The first 200 characters of the response, or what went wrong. Null until the first attempt has ended.",
  }),
};

export const AlertDeliverySchema = Type.Object(delivery, { $id: "AlertDelivery" });
export const AlertDeliveryPage = Type.Object(
  { items: Type.Array(AlertDeliverySchema), next_cursor: NextCursor },
  { $id: "AlertDeliveryPage" },
);
