/** Tables of datasets. Timestamps are epoch milliseconds, JSON is text. */
export interface DatasetTable {
  id: string;
  orgId: string;
  name: string;
  version: number;
  source: string;
  createdAt: number;
  createdBy: string;
  expiresAt: number | null;
}

export interface DatasetItemTable {
  datasetId: string;
  position: number;
  body: string;
}
