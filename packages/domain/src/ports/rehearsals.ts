import type { UsageMonth } from "../metering/usage-month.ts";
import type { ModelPrice } from "../price/model-price.ts";
import type { Preference, RehearsalPlan } from "../rehearsal/rehearsal.ts";
import type { RehearsedRow } from "../rehearsal/report.ts";
import type { RehearsalRequest } from "../rehearsal/requests.ts";
import type { Erasure } from "./erasures.ts";
import type { JudgementFailure } from "./judgements.ts";
import type { Page, PageQuery } from "./page.ts";

/** `stopped`: by a person; `done`: by itself, `endedBecause` says why. */
export const REHEARSAL_STATES = ["running", "paused", "stopped", "done"] as const;
export type RehearsalState = (typeof REHEARSAL_STATES)[number];

/** Why a rehearsal ended by itself: every request is settled, enough is known, or the budget is spent. */
export const REHEARSAL_ENDS = ["completed", "enough", "budget"] as const;
export type RehearsalEnd = (typeof REHEARSAL_ENDS)[number];

export interface NewRehearsal {
  readonly id: string;
  readonly orgId: string;
  readonly plan: RehearsalPlan;
  readonly stopWhenEnough: boolean;
  readonly judgeModel: string;
  /** Identifies everything that determines what the judge says. */
  readonly judgeVersion: string;
  /** Prices of the models when it was created: one list for all of its requests. */
  readonly prices: readonly ModelPrice[];
  readonly createdAt: number;
  readonly createdBy: string;
  readonly createdByName: string;
}

export interface Rehearsal extends NewRehearsal {
  readonly state: RehearsalState;
  readonly endedBecause: RehearsalEnd | null;
  readonly endedAt: number | null;
  /** Why a running rehearsal sends no requests at present; null if no fault is known. */
  readonly fault: string | null;
  /** Uses the estimate for an answer without token counts. */
  readonly spentUsd: number;
  /** Number of inputs, without erased users' inputs. */
  readonly inputs: number;
  readonly changedAt: number;
  /** False once the texts were removed along with the dataset. */
  readonly hasTexts: boolean;
}

/** An input and its place in the drawn order. */
export interface RehearsalInput {
  /** From 0; erasing a person leaves gaps. */
  readonly place: number;
  readonly itemId: string;
  /** Position in the dataset. */
  readonly position: number;
  readonly userId: string | null;
  readonly probability: number;
  /** Characters of the input and its reference. */
  readonly characters: number;
}

/** A claimed request with the texts that it needs, except those of the dataset. */
export interface RehearsalTask extends RehearsalRequest {
  readonly rehearsal: Rehearsal;
  readonly place: number;
  /** Number of the request within its input. */
  readonly step: number;
  readonly claim: string;
  readonly attempts: number;
  readonly itemId: string;
  readonly position: number;
  /** Answers to judge: control's and the treatment's, or the one to score. None for a request for an answer. */
  readonly answers: readonly string[];
}

export type RehearsalOutcome =
  | {
      readonly kind: "answered";
      readonly text: string;
      /** Characters of the whole answer; `text` may be only its beginning. */
      readonly length: number;
      readonly latencyMs: number;
    }
  | { readonly kind: "preferred"; readonly preference: Preference; readonly reason: string }
  | { readonly kind: "scored"; readonly score: number; readonly reason: string }
  | { readonly kind: "failed"; readonly cause: JudgementFailure; readonly detail: string }
  /** The next attempt may begin at `notBefore`. `isAttempt` is false if the endpoint was never reached. */
  | {
      readonly kind: "postponed";
      readonly cause: JudgementFailure;
      readonly detail: string;
      readonly notBefore: number;
      readonly isAttempt: boolean;
    };

/** Tokens and cost of one attempt; null for what the endpoint does not report. */
export interface RehearsalUsage {
  readonly inputTokens: number | null;
  readonly outputTokens: number | null;
  readonly costUsd: number | null;
}

export interface SettledRequest {
  readonly task: RehearsalTask;
  readonly outcome: RehearsalOutcome;
  /** Null if the endpoint gave no answer, so that nothing is charged. */
  readonly usage: RehearsalUsage | null;
  readonly at: number;
  /** The usage month that a judgement counts in. */
  readonly month: UsageMonth;
}

/** The result of a settlement. */
export interface Settling {
  /** False if another process had taken over: nothing was stored. */
  readonly isMine: boolean;
  /** The input has no requests left. */
  readonly isInputFinished: boolean;
}

/** Requests of one kind so far. */
export interface RehearsalCount {
  readonly kind: RehearsalRequest["kind"];
  readonly pending: number;
  readonly done: number;
  readonly failed: number;
  readonly costUsd: number;
}

export interface RehearsalProgress {
  readonly finishedInputs: number;
  readonly counts: readonly RehearsalCount[];
}

/** A settled request as the analysis reads it. */
export interface RehearsalRecord extends RehearsalRequest {
  readonly place: number;
  readonly state: "done" | "failed";
  /** 0: nobody was asked, because the two answers are the same. */
  readonly attempts: number;
  /** Characters of an answer. */
  readonly length: number | null;
  readonly preference: Preference | null;
  readonly score: number | null;
  readonly latencyMs: number | null;
  readonly inputTokens: number | null;
  readonly outputTokens: number | null;
  readonly costUsd: number | null;
}

/** A settled request with its texts. */
export interface RehearsalText extends RehearsalRecord {
  readonly text: string | null;
  readonly reason: string | null;
  readonly cause: JudgementFailure | null;
  readonly detail: string | null;
}

/** The answers of control and of a treatment to an input in one repeat. */
export interface RehearsedPair {
  readonly place: number;
  /** Number of the treatment. */
  readonly arm: number;
  readonly repeat: number;
}

/** Which answer of a pair a person found better, without knowing the arms. */
export interface RehearsalPick extends RehearsedPair {
  readonly preference: Preference;
  readonly pickedBy: string;
  readonly pickedByName: string;
  readonly pickedAt: number;
}

/** The place of a user's input in a rehearsal. */
export interface UserPlace {
  readonly rehearsalId: string;
  readonly place: number;
}

/** An experiment that tests arms of a rehearsal; its variants have the arms' names. */
export interface RehearsedExperiment {
  readonly experimentId: string;
  readonly rehearsalId: string;
  /** The rehearsal's findings when the experiment was drafted. */
  readonly rows: readonly RehearsedRow[];
  readonly startedAt: number;
  readonly startedBy: string;
  readonly startedByName: string;
}

/** An input with its settled requests. */
export interface RehearsalPair {
  readonly input: RehearsalInput;
  readonly records: readonly RehearsalText[];
}

interface PlaceRange {
  /** -1: from the first. */
  readonly after: number;
  readonly limit: number;
}

/** Rehearsals with their requests. Every method names the org, except those that serve all orgs. */
export interface RehearsalStore {
  /** Stores a rehearsal, running, with its inputs. */
  put(rehearsal: NewRehearsal, inputs: readonly RehearsalInput[]): Promise<Rehearsal>;
  find(orgId: string, id: string): Promise<Rehearsal | null>;
  /** Locks the rehearsal until the transaction ends: no other transaction can change it. Throws `rehearsal-not-found`. */
  lock(orgId: string, id: string): Promise<Rehearsal>;
  list(orgId: string, page: PageQuery): Promise<Page<Rehearsal>>;
  /** Counts rehearsals that are neither stopped nor done. */
  countOpen(orgId: string): Promise<number>;
  /** Changes the state. Ending or resuming a rehearsal clears the fault. */
  move(
    rehearsal: Pick<Rehearsal, "orgId" | "id">,
    to: {
      readonly state: RehearsalState;
      readonly endedBecause: RehearsalEnd | null;
      readonly at: number;
    },
  ): Promise<void>;
  /** Records why no requests are sent; null if they are sent again. */
  setFault(rehearsal: Pick<Rehearsal, "orgId" | "id">, fault: string | null, at: number): Promise<void>;
  /** At most `limit` running rehearsals of all orgs; the one with the oldest last claim comes first. */
  listRunning(limit: number): Promise<readonly Rehearsal[]>;
  /**
   * Leases requests of these kinds to this process until `leaseUntil`, and opens further inputs when answers are claimed. Claims nothing
   * once the costs so far, plus the estimates of claimed requests, reach the budget. Ends the rehearsal when no requests are left.
   */
  claim(
    rehearsal: Pick<Rehearsal, "orgId" | "id">,
    request: {
      readonly kinds: readonly RehearsalRequest["kind"][];
      readonly now: number;
      readonly leaseUntil: number;
      readonly limit: number;
      readonly claim: string;
    },
  ): Promise<readonly RehearsalTask[]>;
  /** Extends the leases of claims that are still valid. */
  renew(claims: readonly string[], leaseUntil: number): Promise<void>;
  /** Returns claimed requests without an attempt, because the process stops or the endpoint fails. */
  release(tasks: readonly RehearsalTask[]): Promise<void>;
  /** Releases every claim. Only for a process that has its database to itself. */
  releaseAll(): Promise<void>;
  /**
   * Stores the outcomes of attempts in one transaction, with their costs and the judgements that an answer makes possible. Stores nothing
   * for an outcome whose claim was lost.
   */
  settleAll(settlements: readonly SettledRequest[]): Promise<readonly Settling[]>;
  progress(orgId: string, id: string): Promise<RehearsalProgress>;
  listInputs(orgId: string, id: string, range: PlaceRange): Promise<readonly RehearsalInput[]>;
  /** Settled requests of inputs after the place `after` up to `through`, by place and step. */
  listRecords(
    orgId: string,
    id: string,
    range: { readonly after: number; readonly through: number },
  ): Promise<readonly RehearsalRecord[]>;
  /**
   * Inputs that were begun, by place, with their settled requests by step. A page ends early if its texts exceed `maxCharacters`. Throws
   * `invalid-query` for an invalid cursor.
   */
  listPairs(
    orgId: string,
    id: string,
    page: PageQuery & { readonly maxCharacters: number },
  ): Promise<Page<RehearsalPair>>;
  /** An input with its settled requests; null if there is none. */
  findPair(orgId: string, id: string, place: number): Promise<RehearsalPair | null>;
  /** Pairs of different answers that a judge compared in both orders, in any order. */
  listJudgedPairs(orgId: string, id: string): Promise<readonly RehearsedPair[]>;
  /** Stores a pick; replaces an earlier one for the pair. */
  putPick(rehearsal: Pick<Rehearsal, "orgId" | "id">, pick: RehearsalPick): Promise<void>;
  listPicks(orgId: string, id: string): Promise<readonly RehearsalPick[]>;
  /** Places of a user's inputs by rehearsal and place, after one of them (null: from the first). */
  listUserPlaces(
    user: Pick<Erasure, "orgId" | "userId">,
    range: { readonly after: UserPlace | null; readonly limit: number },
  ): Promise<readonly UserPlace[]>;
  /** Stores which rehearsal an experiment comes from. */
  putExperiment(orgId: string, experiment: RehearsedExperiment): Promise<void>;
  /** Experiments that come from a rehearsal, newest first, without deleted ones. */
  listExperiments(orgId: string, limit: number): Promise<readonly RehearsedExperiment[]>;
  /** Removes inputs of these users with their answers, judgements and picks; costs stay. Returns the number of removed rows. */
  eraseUsers(users: readonly Pick<Erasure, "orgId" | "userId">[]): Promise<number>;
  /** Rehearsals of all orgs whose texts are still stored, at most `limit` after the id `after`. */
  listWithTexts(range: {
    readonly after: string;
    readonly limit: number;
  }): Promise<readonly Pick<Rehearsal, "orgId" | "id" | "plan">[]>;
  /** Removes the texts of answers and reasons; numbers stay. An open rehearsal is stopped, because it has no inputs any more. */
  forgetTexts(rehearsal: Pick<Rehearsal, "orgId" | "id">, at: number): Promise<void>;
  /** Removes all rehearsals of deleted orgs; returns how many. */
  removeOfDeletedOrgs(): Promise<number>;
}
