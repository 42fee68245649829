import type { ComponentChildren } from "preact";
import { useId } from "preact/hooks";

interface FieldProps {
  readonly label: string;
  readonly hint?: string;
  /** Draws the control with the id that the label points to. */
  readonly children: (id: string) => ComponentChildren;
}

export const Field = ({ label, hint, children }: FieldProps) => {
  const id = useId();
  return (
    <div class="field">
      <label for={id}>{label}</label>
      {children(id)}
      {hint !== undefined && <p class="faint">{hint}</p>}
    </div>
  );
};
