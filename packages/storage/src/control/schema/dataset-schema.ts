export interface DatasetTable {
  id: string;
  orgId: string;
  name: string;
  version: number;
  items: number;
  /** JSON. */
  source: string;
  /** For a drawn dataset, as in `source`; null for an uploaded one. The same applies to `receivedFrom`. */
  experimentId: string | null;
  receivedFrom: number | null;
  /** JSON. */
  masked: string;
  createdAt: number;
  createdBy: string;
  expiresAt: number | null;
}

export interface DatasetItemTable {
  orgId: string;
  datasetId: string;
  position: number;
  itemId: string;
  userId: string | null;
  occurredAt: number | null;
  probability: number;
  /** JSON. */
  messages: string;
  /** JSON. */
  reference: string | null;
}

export interface MaskingRuleTable {
  orgId: string;
  /** JSON. */
  rules: string;
}
