import { Type } from "typebox";
import { ExperimentSchema, ExperimentVersionSchema } from "./experiment.ts";
import { ExperimentOverview } from "./overview.ts";
import { ResultsSchema } from "./results.ts";
import { Id, Instant, Nullable, strict } from "./shared.ts";

/** The maximum number of days for which a link is valid. */
export const MAX_LINK_DAYS = 90;

export const ReportLinkRequest = Type.Object(
  { expires_in_days: Type.Optional(Type.Integer({ minimum: 1, maximum: MAX_LINK_DAYS, default: 7 })) },
  { ...strict, $id: "ReportLinkRequest" },
);

const linkFields = {
  id: Id,
  created_at: Instant,
  created_by: Type.Object({ id: Type.String(), name: Type.String() }),
  expires_at: Instant,
};

export const ReportLinks = Type.Object(
  {
    allowed: Type.Boolean({ description: "Whether the organization allows report links." }),
    items: Type.Array(Type.Object(linkFields), { description: "Valid links, newest first." }),
  },
  { $id: "ReportLinks" },
);

export const CreatedReportLink = Type.Object(
  {
    ...linkFields,
    path: Type.String({
      description:
        "The report's address; only this response contains it. The part after # is the token, which no server logs.",
    }),
  },
  { $id: "CreatedReportLink" },
);

export const ReportLinkSetting = Type.Object(
  {
    allowed: Type.Boolean({
      description: "false: no links can be created, and existing links show nothing.",
    }),
  },
  { ...strict, $id: "ReportLinkSetting" },
);

export const SharedReportRequest = Type.Object(
  { token: Type.String({ minLength: 1, maxLength: 200 }) },
  { ...strict, $id: "SharedReportRequest" },
);

export const SharedReport = Type.Object(
  {
    experiment: ExperimentSchema,
    overview: ExperimentOverview,
    results: Nullable(ResultsSchema),
    versions: Type.Array(ExperimentVersionSchema),
    expires_at: Instant,
  },
  { $id: "SharedReport" },
);
