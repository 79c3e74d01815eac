import { queryOptions, useQuery } from "@tanstack/react-query";
import { api, unwrap } from "../../api/client.ts";
import { count } from "../../format/numbers.ts";
import { day as dayInWords } from "../../format/times.ts";
import { Notice, ProblemNotice } from "../../ui/Notice.tsx";

/** Warns about days on which the publishable key sent far more events than usual. Otherwise shows nothing. */
export function UnusualUse() {
  const query = useQuery(unusualDaysQuery());
  if (query.error) return <ProblemNotice problem={query.error} onRetry={() => query.refetch()} />;
  const days = query.data?.items ?? [];
  if (days.length === 0) return null;
  return (
    <Notice tone="warn" role="status" title="Unusual use of the publishable key">
      <ul>
        {days.map(({ day, events, limit }) => (
          <li key={day}>
            {dayInWords(day)}: {count(events)} events; up to {count(limit)} are usual.
          </li>
        ))}
      </ul>
      <p>
        If you did not expect this, replace the key or name its allowed origins, and look at the calls of
        these days. Chance alone causes this warning on fewer than 1 in 1,000 days.
      </p>
    </Notice>
  );
}

function unusualDaysQuery() {
  return queryOptions({
    queryKey: ["unusual-days"],
    queryFn: () => unwrap(api.GET("/v1/keys/publishable/unusual-days")),
  });
}
