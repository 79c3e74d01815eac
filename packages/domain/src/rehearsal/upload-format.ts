/** The kinds of files that a dataset is made from. */
export const UPLOAD_FORMATS = ["jsonl", "csv", "openai-evals", "promptfoo", "inspect", "langfuse"] as const;
export type UploadFormat = (typeof UPLOAD_FORMATS)[number];
