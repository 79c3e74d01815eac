import { Panel } from "../../ui/Page.tsx";
import { BoundArea, BoundText } from "./BoundFields.tsx";

/** The question: name, hypothesis, description. */
export function QuestionBlock({ title }: { readonly title: string }) {
  return (
    <Panel title={title}>
      <div className="form">
        <BoundText
          name="name"
          label="Name"
          hint="Unique among your experiments. Your code can use this name."
        />
        <BoundArea
          name="hypothesis"
          label="Hypothesis"
          rows={2}
          hint="We believe … will … because …"
          placeholder="We believe a shorter prompt will cost less because answers get shorter, without losing quality."
        />
        <BoundArea
          name="description"
          label="Description"
          rows={2}
          hint="For people who read this in a year. Optional."
        />
        <BoundText
          name="tags"
          label="Tags"
          hint="Separated by commas, such as a team or an area. Optional."
        />
      </div>
    </Panel>
  );
}
