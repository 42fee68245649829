import { isCancel, multiselect, password, select, text } from "@clack/prompts";
import { AppError } from "../../../core/contract/app-error.ts";
import { listed } from "../../../core/contract/setup-question.ts";
import type { Ask } from "./init.ts";
import type { Question } from "./questions.ts";

/** Asks in the terminal, and checks each answer before the next question. Ctrl-C ends the wizard, and nothing is written. */
export const askInTerminal: Ask = async (question, problemOf) => {
  const answer = await prompt(question, problemOf);
  if (isCancel(answer)) throw new AppError("stopped", "stopped; nothing was written");
  return spelled(answer);
};

const spelled = (answer: unknown): string => (Array.isArray(answer) ? answer.join(",") : String(answer ?? ""));

const prompt = (
  { message, choices, several, secret, otherwise, optional, example }: Question,
  problemOf: (answer: string) => string | undefined,
) => {
  const required = optional !== true && otherwise === undefined;
  const validate = (value: unknown) => {
    const problem = problemOf(spelled(value));
    return problem === undefined ? undefined : `Your answer ${problem}.`;
  };
  if (choices !== undefined) {
    const options = choices.map(({ value, label }) => ({ value, label }));
    if (several) return multiselect({ message, options, initialValues: listed(otherwise), required });
    return select({ message, options, ...(otherwise !== undefined && { initialValue: otherwise }) });
  }
  if (secret) return password({ message, validate });
  const placeholder = otherwise ?? example;
  return text({
    message,
    validate,
    ...(placeholder !== undefined && { placeholder }),
    ...(otherwise !== undefined && { defaultValue: otherwise }),
  });
};
