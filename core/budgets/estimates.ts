import type { StepRequest, StepResponse } from "../model/index.ts";
import { MICRO } from "./accounts.ts";
import type { PricesConfig } from "./config.ts";

export type Usage = StepResponse["usage"];

/** Rough for all languages and models; the usage that the model reports replaces it. */
const CHARS_PER_TOKEN = 4;
/** Reserved for an answer until longer ones were seen. */
const FIRST_OUTPUT_TOKENS = 256;

/** Estimates the tokens of requests, and prices them. */
export class Estimates {
  readonly #prices: PricesConfig;
  /** The longest recent answer by model: a request reserves that much. */
  readonly #outputs = new Map<string, number>();

  constructor(prices: PricesConfig = {}) {
    this.#prices = prices;
  }

  usageOf(model: string, { system, messages, tools }: StepRequest): Usage {
    let chars = system.length;
    for (const message of messages) chars += charsOf(message);
    for (const tool of tools) chars += charsOfTool(tool);
    const outputTokens = this.#outputs.get(model) ?? FIRST_OUTPUT_TOKENS;
    return { inputTokens: Math.ceil(chars / CHARS_PER_TOKEN), outputTokens };
  }

  /** Notes the length of an answer; the influence of a long one fades. */
  learn(model: string, { outputTokens }: Usage): void {
    const known = this.#outputs.get(model) ?? FIRST_OUTPUT_TOKENS;
    this.#outputs.set(model, Math.max(FIRST_OUTPUT_TOKENS, outputTokens, Math.floor(known * 0.9)));
  }

  /** In millionths of the currency; undefined: the model has no price. */
  costOf(model: string, { inputTokens, outputTokens }: Usage): number | undefined {
    const price = this.#prices[model];
    if (price === undefined) return undefined;
    return Math.ceil(((inputTokens * price.input + outputTokens * price.output) / 1_000_000) * MICRO);
  }
}

/** Descriptions are cached between requests, and so is their length. */
const toolChars = new WeakMap<StepRequest["tools"][number], number>();

const charsOfTool = (tool: StepRequest["tools"][number]): number => {
  const known = toolChars.get(tool);
  if (known !== undefined) return known;
  const chars = tool.name.length + tool.description.length + JSON.stringify(tool.inputSchema).length;
  toolChars.set(tool, chars);
  return chars;
};

const charsOf = (message: StepRequest["messages"][number]): number => {
  if (message.role === "tool") return message.results.reduce((chars, { output }) => chars + output.length, 0);
  if (message.role === "user") return message.text.length + (message.context?.length ?? 0);
  const calls = message.toolCalls;
  return message.text.length + (calls.length === 0 ? 0 : JSON.stringify(calls).length);
};
