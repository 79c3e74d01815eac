import { useMutation, useQueryClient } from "@tanstack/react-query";
import { Controller, type UseFormReturn, useForm } from "react-hook-form";
import { api, unwrap } from "../../api/client.ts";
import { Problem } from "../../api/problem.ts";
import { announce } from "../../ui/announce.ts";
import { Button } from "../../ui/Button.tsx";
import { SelectField, TextArea, TextField } from "../../ui/Field.tsx";
import { ProblemNotice } from "../../ui/Notice.tsx";
import { dropDraft, readDraft, useDraft } from "../../ui/use-draft.ts";
import { CATEGORIES, CATEGORY_WORDS, type Category, feedbackQuery } from "./queries.ts";

interface FeedbackValues {
  readonly category: Category;
  readonly message: string;
  readonly page: string;
}

const DRAFT = "feedback";
const EMPTY: FeedbackValues = { category: "idea", message: "", page: "" };
const MAX_LENGTH = 5000;

/** Sends feedback to the platform owner. The input survives a reload, a sign-in and a failure. */
export function FeedbackForm({ onSent }: { readonly onSent: () => void }) {
  const form = useForm<FeedbackValues>({ defaultValues: readDraft<FeedbackValues>(DRAFT) ?? EMPTY });
  const { control } = form;
  useDraft(DRAFT, form);
  const { send, submit } = useSending(form, onSent);
  const faults = send.error instanceof Problem ? send.error.faults : [];
  const faultOf = (name: keyof FeedbackValues) =>
    faults.find(({ pointer }) => pointer === `/${name}`)?.detail;
  return (
    <form className="form" onSubmit={submit} noValidate>
      <div className="grid-2">
        <Controller
          control={control}
          name="category"
          render={({ field: { value, onChange } }) => (
            <SelectField
              label="Category"
              value={value}
              onChange={onChange}
              options={CATEGORIES.map((category) => ({ value: category, label: CATEGORY_WORDS[category] }))}
            />
          )}
        />
        <Controller
          control={control}
          name="page"
          rules={{ maxLength: { value: 200, message: "Use at most 200 characters." } }}
          render={({ field: { ref: _ref, ...field }, fieldState }) => (
            <TextField
              {...field}
              label="Page"
              hint="Optional: its name or URL."
              error={fieldState.error?.message ?? faultOf("page")}
            />
          )}
        />
      </div>
      <Controller
        control={control}
        name="message"
        rules={{
          validate: (text) => text.trim() !== "" || "Enter a message.",
          maxLength: { value: MAX_LENGTH, message: `Use at most ${MAX_LENGTH} characters.` },
        }}
        render={({ field: { ref: _ref, ...field }, fieldState }) => (
          <TextArea
            {...field}
            label="Message"
            rows={6}
            hint="For a bug: what you did, what you expected, and what happened."
            error={fieldState.error?.message ?? faultOf("message")}
          />
        )}
      />
      {send.error && faults.length === 0 ? <ProblemNotice problem={send.error} /> : null}
      <div className="row">
        <Button type="submit" look="primary" isPending={send.isPending}>
          Send
        </Button>
      </div>
    </form>
  );
}

function useSending({ handleSubmit, setError }: UseFormReturn<FeedbackValues>, onSent: () => void) {
  const cache = useQueryClient();
  const send = useMutation({
    mutationFn: ({ page, ...values }: FeedbackValues) =>
      unwrap(api.POST("/v1/feedback", { body: { ...values, ...(page.trim() === "" ? {} : { page }) } })),
    onSuccess: async () => {
      dropDraft(DRAFT);
      onSent();
      announce("Thank you. Your feedback was sent.");
      await cache.invalidateQueries(feedbackQuery());
    },
  });
  // With an error set, the form keeps the draft.
  const submit = handleSubmit((values) =>
    send.mutateAsync(values).then(
      () => undefined,
      () => setError("root", { type: "send" }),
    ),
  );
  return { send, submit };
}
