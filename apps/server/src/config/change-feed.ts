import type { Change, ChangeKind, ChangeWatch, Coordination } from "@assay/domain";

/** Notifies the caches of this process about changes made by other processes. */
export interface ChangeFeed extends Pick<ChangeWatch, "isCurrent" | "untilPropagated"> {
  /** Calls `forget` with the org whose data of this kind changed, or with null when any org's may have. */
  subscribe(kind: ChangeKind, forget: (orgId: string | null) => void): void;
  close(): Promise<void>;
}

/** Opens the change feed of a process. */
export async function openChangeFeed(control: Pick<Coordination, "watchChanges">): Promise<ChangeFeed> {
  const subscribers: { readonly kind: ChangeKind; readonly forget: (orgId: string | null) => void }[] = [];
  const watch = await control.watchChanges({
    onChange({ kind, orgId }: Change) {
      for (const subscriber of subscribers) if (subscriber.kind === kind) subscriber.forget(orgId);
    },
    onGap() {
      for (const { forget } of subscribers) forget(null);
    },
  });
  return {
    isCurrent: () => watch.isCurrent(),
    untilPropagated: () => watch.untilPropagated(),
    subscribe: (kind, forget) => void subscribers.push({ kind, forget }),
    close: () => watch.close(),
  };
}
