import type { AlertType, ChannelKind, DeliveryStatus } from "@assay/domain";

export interface AlertChannelTable {
  id: string;
  orgId: string;
  name: string;
  kind: ChannelKind;
  target: string;
  secret: string | null;
  previousSecret: string | null;
  previousUntil: number | null;
  /** A JSON list; null means all types. */
  types: string | null;
  isOn: number;
  createdAt: number;
  failingSince: number | null;
}

/** Raised facts. Of those with the same org, type and key, only the last one can be open. */
export interface AlertTable {
  id: string;
  orgId: string;
  type: AlertType;
  key: string;
  experimentId: string | null;
  raisedAt: number;
  endedAt: number | null;
}

export interface AlertDeliveryTable {
  id: string;
  orgId: string;
  channelId: string;
  /** JSON. */
  message: string;
  createdAt: number;
  status: DeliveryStatus;
  attempts: number;
  firstAt: number | null;
  lastAt: number | null;
  nextAt: number | null;
  code: number | null;
  answer: string | null;
}
