import { isCancel, multiselect, password, select, text } from "@clack/prompts";
import { AppError } from "../../../core/contract/app-error.ts";
import { listed } from "../../../core/contract/setup-question.ts";
import type { Question } from "./questions.ts";

/** Asks in the terminal. Ctrl-C ends the wizard, and nothing is written. */
export const askInTerminal = async (question: Question): Promise<string> => {
  const answer = await prompt(question);
  if (isCancel(answer)) throw new AppError("stopped", "stopped; nothing was written");
  return Array.isArray(answer) ? answer.join(",") : String(answer ?? "");
};

const prompt = ({ message, choices, several, secret, otherwise, optional, example }: Question) => {
  const required = optional !== true && otherwise === undefined;
  const validate = (value: string | undefined) => (required && !value?.trim() ? "An answer is required." : undefined);
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
