import type { ChangeKind } from "@assay/domain";
import type { ChangeFeed } from "../config/change-feed.ts";

/** A feed where nothing ever changes elsewhere. */
export const noChanges: ChangeFeed = {
  isCurrent: () => true,
  untilPropagated: async () => {},
  subscribe: () => {},
  close: async () => {},
};

/** A feed through which a test reports changes made elsewhere. */
export function scriptedChanges() {
  const subscribers: { readonly kind: ChangeKind; readonly forget: (orgId: string | null) => void }[] = [];
  let isCurrent = true;
  const feed: ChangeFeed = {
    ...noChanges,
    isCurrent: () => isCurrent,
    subscribe: (kind, forget) => void subscribers.push({ kind, forget }),
  };
  return {
    feed,
    setCurrent(value: boolean) {
      isCurrent = value;
    },
    tell(kind: ChangeKind, orgId: string | null) {
      for (const subscriber of subscribers) if (subscriber.kind === kind) subscriber.forget(orgId);
    },
  };
}
