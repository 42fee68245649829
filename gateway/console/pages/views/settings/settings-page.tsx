import { useState } from "preact/hooks";
import type { AnswerTo } from "../../../../admin-api/index.ts";
import { Choice } from "../../parts/choice.tsx";
import { PageFrame } from "../../parts/page-frame.tsx";
import { Empty, Failed, Loading } from "../../parts/placeholders.tsx";
import { Row, StateMark, type Tone } from "../../parts/row.tsx";
import type { Route } from "../../route.tsx";
import { useAnswer } from "../../state/use-answer.ts";
import { ReloadConfiguration } from "../overview/reload-configuration.tsx";
import { ChangeSetting } from "./change-setting.tsx";

type Configuration = AnswerTo<"GET configuration">;
type Setting = Configuration["settings"][number];

/** The settings in force in the process that serves this page. */
export const SettingsPage = ({ route }: { route: Route }) => {
  const { data, error, reload } = useAnswer("configuration", {});
  return (
    <PageFrame
      title="Settings"
      about="The settings in force in the process that serves this page, where each comes from, and what a change does."
      tools={<ReloadConfiguration done={reload} />}
    >
      {error !== undefined ? (
        <Failed error={error} retry={reload} />
      ) : data === undefined ? (
        <Loading />
      ) : (
        <Settings configuration={data} route={route} done={reload} />
      )}
    </PageFrame>
  );
};

interface SettingsProps {
  readonly configuration: Configuration;
  readonly route: Route;
  readonly done: () => void;
}

const Settings = ({ configuration, route, done }: SettingsProps) => {
  const { file, instance, digest, settings } = configuration;
  const [words, setWords] = useState("");
  const isWanted = ({ path, effect, canChange }: Setting): boolean =>
    path.toLowerCase().includes(words.trim().toLowerCase()) &&
    (route.query.show !== "here" || canChange) &&
    (route.query.show !== "live" || effect !== "process");
  const found = settings.filter(isWanted);
  return (
    <>
      <p class="hint faint">
        File <code>{file}</code>, process <code>{instance}</code>. Other processes read their own file: send them the
        signal <code>SIGHUP</code> after a change.
      </p>
      <FileState configuration={configuration} />
      <div class="filters">
        <Choice
          label="Which settings"
          route={route}
          name="show"
          options={[
            ["", "All settings"],
            ["live", "Without a restart"],
            ["here", "Changed here"],
          ]}
        />
        <label class="find">
          Find a setting
          <input type="search" value={words} onInput={({ currentTarget }) => setWords(currentTarget.value)} />
        </label>
      </div>
      {found.length === 0 ? (
        <Empty title="No such setting.">Choose other words, or show all settings.</Empty>
      ) : (
        <ul class="rows" aria-label="Settings">
          {found.map((setting) => (
            <Row
              key={setting.path}
              title={<code>{setting.path}</code>}
              state={<StateMark {...EFFECTS[setting.effect]} />}
              facts={[
                ["Value", setting.value === null || setting.value === "" ? "none" : String(setting.value)],
                ["From", setting.source],
              ]}
              actions={
                setting.canChange && digest !== undefined ? (
                  <ChangeSetting setting={setting} digest={digest} effect={EFFECTS[setting.effect].text} done={done} />
                ) : undefined
              }
            />
          ))}
        </ul>
      )}
    </>
  );
};

const EFFECTS: Readonly<Record<Setting["effect"], { readonly tone: Tone; readonly text: string }>> = {
  now: { tone: "good", text: "applies at once" },
  models: { tone: "good", text: "applies to the next request" },
  agents: { tone: "busy", text: "restarts the agents" },
  channel: { tone: "busy", text: "restarts the channel" },
  "channel-and-agents": { tone: "busy", text: "restarts channel and agents" },
  everything: { tone: "busy", text: "restarts agents and channels" },
  process: { tone: "calm", text: "needs a restart" },
};

/** Differences between the file and the settings in force, or the reasons why the file cannot be used. */
const FileState = ({ configuration: { pending, problems } }: { configuration: Configuration }) => {
  if (problems.length > 0)
    return (
      <div class="failed" role="alert">
        <p class="strong">The file is not valid, so a reload would change nothing:</p>
        <ul>
          {problems.map(({ path, line, message }) => (
            <li key={`${path} ${line} ${message}`}>
              {line !== undefined && `Line ${line}: `}
              <code>{path}</code> {message}
            </li>
          ))}
        </ul>
      </div>
    );
  if (pending.applied.length + pending.needsRestart.length === 0)
    return <p class="hint">The file and the settings in force are the same.</p>;
  return (
    <div class="card">
      <p class="strong">The file has changed since it was read.</p>
      {pending.applied.length > 0 && <p>A reload applies: {pending.applied.join(", ")}.</p>}
      {pending.needsRestart.length > 0 && (
        <p>These need a restart of the process: {pending.needsRestart.join(", ")}.</p>
      )}
    </div>
  );
};
