import type { BuriedBatch } from "@assay/domain";
import type { MovedPart } from "./moved-part.ts";
import type { KeptBatch, QueueSnapshot } from "./queue-snapshot.ts";
import type { QueueTarget, RestoredBatch } from "./queue-target.ts";

const AT_ONCE = 16;

/**
 * Appends the content of a queue to another. Dead letters that the target already has are skipped. Waiting batches are sent
 * again, because they cannot be recognized there; the event store stores an event that arrives twice once.
 */
export async function copyQueue(
  snapshot: QueueSnapshot,
  target: QueueTarget,
  { source, onBatches }: { readonly source: string; readonly onBatches: (count: number) => void },
): Promise<readonly MovedPart[]> {
  const letters = new Set((await target.listBuried(await target.countBuried())).map(nameLetter));
  let group: KeptBatch[] = [];
  const flush = async () => {
    await Promise.all(group.map((batch) => target.restore(toRestored(batch, source))));
    onBatches(group.length);
    group = [];
  };
  for (const batch of snapshot.batches()) {
    if (isLetterOf(letters, batch)) continue;
    group.push(batch);
    if (group.length === AT_ONCE) await flush();
  }
  await flush();
  const [waiting, buried] = [(await target.depth()).batches, await target.countBuried()];
  return [
    {
      name: "waiting batches",
      source: snapshot.waiting,
      target: waiting,
      isEqual: waiting >= snapshot.waiting,
    },
    { name: "dead letters", source: snapshot.buried, target: buried, isEqual: buried === snapshot.buried },
  ];
}

function toRestored({ sequence, header, body, burial }: KeptBatch, source: string): RestoredBatch {
  return { id: `${source}-${burial === null ? "batch" : "letter"}-${sequence}`, header, body, burial };
}

const nameLetter = (letter: Omit<BuriedBatch, "id">): string =>
  JSON.stringify([letter.orgId, letter.receivedAt, letter.buriedAt, letter.reason, letter.bytes]);

function isLetterOf(letters: ReadonlySet<string>, { header, body, burial }: KeptBatch): boolean {
  if (burial === null) return false;
  const { orgId, receivedAt } = header;
  return letters.has(nameLetter({ orgId, receivedAt, ...burial, bytes: body.byteLength }));
}
