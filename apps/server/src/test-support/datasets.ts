export interface WireDataset {
  readonly id: string;
  readonly name: string;
  readonly version: number;
  readonly source: Readonly<Record<string, unknown>>;
  readonly items: number;
  readonly masked: Readonly<Record<string, number>>;
  readonly expires_at: string | null;
}
interface WireItem {
  readonly position: number;
  readonly id: string;
  readonly messages: readonly { readonly role: string; readonly text: string }[];
  readonly reference: string | null;
  readonly user_id: string | null;
  readonly probability: number;
}
export type WireItems = { readonly items: readonly WireItem[]; readonly next_cursor: string | null };
