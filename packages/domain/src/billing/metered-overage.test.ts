import fc from "fast-check";
import { expect, test } from "vitest";
import { dueReport, type MeteredOverage } from "./metered-overage.ts";

test.each([
  { name: "nothing yet", metered: { reported: 0, pending: 0 }, overage: 0, due: null },
  { name: "the first overage", metered: { reported: 0, pending: 0 }, overage: 5, due: { from: 0, to: 5 } },
  { name: "more of it", metered: { reported: 5, pending: 5 }, overage: 9, due: { from: 5, to: 9 } },
  { name: "a lost answer", metered: { reported: 5, pending: 7 }, overage: 9, due: { from: 5, to: 7 } },
  { name: "a larger plan since", metered: { reported: 5, pending: 5 }, overage: 0, due: null },
])("$name", ({ metered, overage, due }) => expect(dueReport(metered, overage)).toEqual(due));

test("the reports add up to the overage, whichever responses are lost", () => {
  const steps = fc.array(fc.record({ more: fc.nat(9), isAnswered: fc.boolean() }));
  fc.assert(
    fc.property(steps, (list) => {
      const told = new Map<string, number>();
      let [metered, overage]: [MeteredOverage, number] = [{ reported: 0, pending: 0 }, 0];
      const report = (isAnswered: boolean) => {
        const due = dueReport(metered, overage);
        if (due === null) return;
        told.set(`${due.from}-${due.to}`, due.to - due.from);
        metered = { reported: isAnswered ? due.to : due.from, pending: due.to };
      };
      for (const { more, isAnswered } of list) {
        overage += more;
        report(isAnswered);
      }
      report(true);
      report(true);
      expect([...told.values()].reduce((sum, value) => sum + value, 0)).toBe(overage);
    }),
  );
});
