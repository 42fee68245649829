import type { AvailableAdapter } from "../../../config/index.ts";
import { listed } from "../../../core/contract/setup-question.ts";
import type { Answers } from "./questions.ts";
import type { WrittenFiles } from "./write-files.ts";

interface NextSteps {
  /** How the person runs Mooring, as words of a shell. */
  readonly program: string;
  readonly written: WrittenFiles;
  readonly answers: Answers;
  readonly adapters: readonly AvailableAdapter[];
}

/** Each command has a line of its own, so that a copied line runs as it is. */
export const nextSteps = ({ program, written, answers, adapters }: NextSteps): string => {
  const { config, env, unset = [] } = written;
  const channels = listed(answers.get("channels"));
  const guides = adapters.flatMap(({ definition: { id, guide } }) =>
    guide !== undefined && channels.includes(id) ? [guide] : [],
  );
  const option = `--config ${shellWord(config)}`;
  const step = (text: string, command: string) => ["", `${text}:`, `  ${program} ${command} ${option}`];
  return [
    "",
    `Wrote ${config}${env === undefined ? "" : `, and the secrets to ${env}, which only you can read`}.`,
    ...(unset.length === 0 ? [] : [`Set these environment variables yourself before you go on: ${unset.join(", ")}`]),
    ...guides.map((guide) => `${guide} explains the setup on the platform.`),
    ...step("Check that all services answer", "check --live"),
    ...step(`Start Mooring, then open http://localhost:${answers.get("port")}`, "start"),
    ...step("Talk to it in another terminal", "chat"),
    "",
  ].join("\n");
};

/** A path as one word of a POSIX shell. */
export const shellWord = (text: string): string =>
  /^[\w./@:+-]+$/.test(text) && !text.startsWith("-") ? text : `'${text.replaceAll("'", "'\\''")}'`;
