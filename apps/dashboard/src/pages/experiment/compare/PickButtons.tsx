import { Button } from "../../../ui/Button.tsx";

interface PickButtonsProps {
  /** Number of answers, as shown. */
  readonly answers: number;
  /** The place of the best one; null: all are the same. */
  readonly onPick: (index: number | null) => void;
}

/** Which of the answers is best, with the digits that say the same. */
export function PickButtons({ answers, onPick }: PickButtonsProps) {
  return (
    <fieldset className="row comparison-pick">
      <legend className="visually-hidden">Which answer is best?</legend>
      {Array.from({ length: answers }, (_, index) => index).map((index) => (
        <Button key={index} onPress={() => onPick(index)}>
          Answer {index + 1} is best {index < 9 ? <kbd>{index + 1}</kbd> : null}
        </Button>
      ))}
      <Button onPress={() => onPick(null)}>
        All the same <kbd>0</kbd>
      </Button>
    </fieldset>
  );
}
