import { Histogram, Registry } from "prom-client";
import { expect, test } from "vitest";
import { createRequestTimes } from "./request-times.ts";

const SECONDS = [0, 0.004, 0.005, 0.0051, 0.025, 0.3, 2.5, 9.75, 10, 11, 400];

test("is what the library's histogram of the same observations is", async () => {
  const [own, library] = [new Registry(), new Registry()];
  const times = createRequestTimes(own);
  const { name, help } = own.getMetricsAsArray()[0]!;
  const reference = new Histogram({
    ...{ name, help, labelNames: ["method", "route", "status"], registers: [library] },
    buckets: [0.005, 0.025, 0.1, 0.5, 2.5, 10],
  });
  expect(await own.metrics()).toBe(await library.metrics());
  for (const route of ["/v1/assign", '/v1/"quoted"']) {
    const time = times.of({ method: "POST", route });
    for (const status of [200, 299, 304, 503])
      for (const seconds of SECONDS) {
        time(status, seconds);
        reference.observe({ method: "POST", route, status: `${Math.floor(status / 100)}xx` }, seconds);
      }
  }
  expect(await own.metrics()).toBe(await library.metrics());
});
