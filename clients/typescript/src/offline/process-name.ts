import { createHash } from "node:crypto";
import { hostname } from "node:os";
import process from "node:process";
import { fieldsOf } from "../fields.ts";
import type { SpillName } from "./spill-name.ts";

/** Distinguishes this process from an earlier one with the same id. */
const START = Date.now();
/** When this process began. The client may have been loaded much later. */
const BEGAN = START - process.uptime() * 1_000;

/** Names this process, in the format that claims use. */
export const ME = `${process.pid}-${START}`;

/** The leading 0, with which no process id starts, marks a journal. A process of another host cannot be looked up. */
const JOURNAL = `0${createHash("sha256").update(hostname()).digest().readUInt32BE()}`;

let made = 0;

/** Creates the origin of a new file of this process. */
export const newOrigin = () => `${ME}-${made++}`;

/** Creates the origin of a new journal of this process. */
export const newJournalOrigin = () => JOURNAL + newOrigin();

/**
 * Returns whether the file is the journal of a dead process on this host. Returns false if another process now has its
 * number.
 */
export function isLeftJournal({ claimant, origin, isWhole }: SpillName): boolean {
  if (claimant === null || !isWhole || !origin.startsWith(`${JOURNAL}${claimant}-`)) return false;
  const [pid = 0, start = 0] = claimant.split("-").map(Number);
  // Written by another thread or another copy of the client. In a container, every process may have the same number.
  if (pid === process.pid) return start < BEGAN;
  try {
    process.kill(pid, 0);
    return false;
  } catch (error) {
    return fieldsOf(error).code === "ESRCH";
  }
}
