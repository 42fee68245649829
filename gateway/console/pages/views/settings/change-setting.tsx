import { useState } from "preact/hooks";
import type { AnswerTo } from "../../../../admin-api/index.ts";
import { Dialog, Field } from "../../parts/dialog.tsx";
import { useConsole } from "../../state/console-context.ts";
import { useAction } from "../../state/use-action.ts";
import { describeReload } from "../overview/reload-configuration.tsx";

type Setting = AnswerTo<"GET configuration">["settings"][number];

interface ChangeSettingProps {
  readonly setting: Setting;
  /** Of the file that the operator has seen. */
  readonly digest: string;
  readonly effect: string;
  readonly done: () => void;
}

const LEVELS = ["debug", "info", "warn", "error", "silent"];

/** Writes one value into the configuration file and reloads it. */
export const ChangeSetting = ({ setting, digest, effect, done }: ChangeSettingProps) => {
  const { client } = useConsole();
  const { path, keys, value } = setting;
  const [isOpen, setOpen] = useState(false);
  const [given, setGiven] = useState(String(value ?? ""));
  const isNumber = typeof value === "number";
  const { isBusy, run } = useAction(async () => {
    const changed = isNumber ? Number(given) : given;
    return describeReload(await client.post("configuration/settings", {}, { keys: [...keys], value: changed, digest }));
  }, done);
  return (
    <>
      <button type="button" aria-label={`Change: ${path}`} onClick={() => setOpen(true)}>
        Change
      </button>
      {isOpen && (
        <Dialog title={`Change ${path}`} close={() => setOpen(false)}>
          <form
            onSubmit={(event) => {
              event.preventDefault();
              void run().then(() => setOpen(false));
            }}
          >
            <Field label="Value" hint={`It is written to the file and ${effect}. The audit log has both values.`}>
              {(id) =>
                isNumber ? (
                  <input
                    id={id}
                    type="number"
                    step="any"
                    required
                    value={given}
                    onInput={({ currentTarget }) => setGiven(currentTarget.value)}
                  />
                ) : (
                  <select id={id} value={given} onChange={({ currentTarget }) => setGiven(currentTarget.value)}>
                    {LEVELS.map((level) => (
                      <option key={level} value={level}>
                        {level}
                      </option>
                    ))}
                  </select>
                )
              }
            </Field>
            <div class="dialog-actions">
              <button type="button" onClick={() => setOpen(false)}>
                Cancel
              </button>
              <button type="submit" class="primary" disabled={isBusy}>
                Save and reload
              </button>
            </div>
          </form>
        </Dialog>
      )}
    </>
  );
};
