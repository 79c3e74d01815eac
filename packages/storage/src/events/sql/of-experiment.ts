/** Tells whether a row belongs to the org's experiment; binds `org_id` and `experiment_id`. */
export const OF_EXPERIMENT = "org_id = {org_id: String} AND experiment_id = {experiment_id: String}";
