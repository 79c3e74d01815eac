import { expect, test } from "vitest";
import { DEFAULT_GUARD, GUARD_SIGNALS } from "../../../../../packages/domain/src/experiment/guard.ts";
import { checkForm } from "./check-form.ts";
import { toConfig } from "./form-to-config.ts";
import { emptyValues } from "./form-values.ts";
import { GUARD_FIELDS, guardValues, toGuard } from "./guard-values.ts";

const usual = guardValues().harms;

test("the form begins with the service's defaults, of every signal", () => {
  const wire = (name: string) => name.replace(/[A-Z]/g, (letter) => `_${letter.toLowerCase()}`);
  const defaults = GUARD_SIGNALS.map((signal) => [wire(signal), DEFAULT_GUARD[signal]]);
  expect(usual).toEqual(Object.fromEntries(defaults));
});

test.each([
  { of: "a new experiment", values: {}, guarded: false },
  { of: "a new rollout", values: { rolloutStages: "1, 50" }, guarded: true },
  {
    of: "a rollout by time alone",
    values: { rolloutStages: "1, 50", guard: { isOn: false, harms: usual } },
    guarded: false,
  },
  { of: "one that asks for it", values: { guard: { isOn: true, harms: usual } }, guarded: true },
  {
    of: "another system's flag",
    values: { flagKey: "tone", guard: { isOn: true, harms: usual } },
    guarded: false,
  },
])("$of is guarded: $guarded", ({ values, guarded }) => {
  const all = { ...emptyValues("salt"), name: "tone", ...values };
  expect(toConfig(all, "running").guard).toEqual(guarded ? usual : null);
});

test("a stored guard keeps what it watches, and a draft that an earlier version of the form kept has the defaults", () => {
  const stored = { error_rate: 0.5, latency: null };
  expect(toGuard({ guard: guardValues(stored) })).toEqual({
    ...Object.fromEntries(GUARD_FIELDS.map(({ signal }) => [signal, null])),
    error_rate: 0.5,
  });
  expect(toGuard({ guard: guardValues(null) })).toBeNull();
  expect(toGuard({ rolloutStages: "5" })).toEqual(usual);
});

test.each([
  { harm: 1.01, pointers: ["/guard/error_rate"] },
  { harm: -0.01, pointers: ["/guard/error_rate"] },
  { harm: 1, pointers: [] },
  { harm: null, pointers: [] },
])("a harm of $harm has faults at $pointers", ({ harm, pointers }) => {
  const guard = { isOn: true, harms: { ...usual, error_rate: harm } };
  const values = { ...emptyValues("salt"), name: "tone", guard };
  expect(checkForm(values).map(({ pointer }) => pointer)).toEqual(pointers);
  expect(checkForm({ ...values, guard: { ...guard, isOn: false } })).toEqual([]);
});
