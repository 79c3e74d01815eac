"use client";

import { usePrompt, useTrack, useVariant } from "@assay/react";

export function Greeting() {
  const variant = useVariant("greeting");
  const { prompt } = usePrompt("greeting", "Answer.");
  const track = useTrack();
  const onClick = () => track("business_event", { experiment_id: "greeting", business_metric: "thumbs_up" });
  return (
    <button type="button" onClick={onClick}>
      {`${variant}: ${prompt}`}
    </button>
  );
}
