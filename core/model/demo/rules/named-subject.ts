import type { ToolDescription } from "../../step.ts";
import type { DemoRule, Situation } from "../demo-rule.ts";

/** Words of tool names that say nothing about their subject. */
const GENERAL = new Set(["get", "list", "read", "show", "find", "search", "next", "the", "of", "for", "in", "a"]);

/** Tools of the operator are named `server__tool`. */
const isConfigured = (name: string): boolean => name.includes("__");

const wordsOf = (text: string): string[] =>
  (text.toLowerCase().match(/\p{L}+/gu) ?? []).map((word) => word.replace(/(?<=..)ies$/, "y").replace(/(?<=..)s$/, ""));

/** The offered tool whose name has the most words of the message. */
const toolFor = ({ text, tools }: Situation): ToolDescription | undefined => {
  const said = new Set(wordsOf(text));
  const scored = tools
    .filter(({ name }) => isConfigured(name))
    .map((tool) => ({
      tool,
      score: wordsOf(tool.name.replaceAll("_", " ")).filter((word) => said.has(word) && !GENERAL.has(word)).length,
    }));
  const best = Math.max(0, ...scored.map(({ score }) => score));
  return best === 0 ? undefined : scored.find(({ score }) => score === best)?.tool;
};

const NUMBER = /-?\d+(?:\.\d+)?/;
/** "in Kiel", "from New York". */
const PLACE = /\b(?:in|at|from|for|of|about)\s+(\p{Lu}[\p{L}-]*(?:\s\p{Lu}[\p{L}-]*)*)/u;
const QUOTED = /["“]([^"”]+)["”]/;

interface Property {
  readonly type?: unknown;
  readonly enum?: readonly unknown[];
}

/** A value for one property: the one that the message names, or else a plausible one. */
const valueFor = ({ type, enum: choices }: Property, text: string): unknown => {
  if (choices !== undefined) {
    return choices.find((choice) => text.toLowerCase().includes(String(choice).toLowerCase())) ?? choices[0];
  }
  if (type === "number" || type === "integer") return Number(NUMBER.exec(text)?.[0] ?? 1);
  if (type === "boolean") return true;
  return QUOTED.exec(text)?.[1] ?? PLACE.exec(text)?.[1] ?? text;
};

/** The required arguments. */
const inputFor = ({ inputSchema }: ToolDescription, text: string): Record<string, unknown> => {
  const { properties = {}, required = [] } = inputSchema as {
    readonly properties?: Readonly<Record<string, Property>>;
    readonly required?: readonly string[];
  };
  return Object.fromEntries(required.map((name) => [name, valueFor(properties[name] ?? {}, text)]));
};

/** Calls a tool of the operator if the message names its subject: "when is the next tide in Kiel?" calls `harbour__next_tide`. */
export const useTool: DemoRule = {
  skill: ({ tools }) => {
    const names = tools.flatMap(({ name }) => (isConfigured(name) ? [`\`${name}\``] : []));
    return names.length === 0 ? undefined : `use a tool whose subject you name: ${names.slice(0, 5).join(", ")}`;
  },
  respond: (situation) => {
    const used = situation.results.filter(({ name }) => isConfigured(name));
    if (used.some(({ output }) => output.startsWith("Not run yet"))) {
      return { text: "A person must approve that first. I will tell you the outcome." };
    }
    if (used.length > 0) {
      return {
        text: used.map(({ name, output, failed }) => (failed ? `${name} failed: ${output}` : output)).join("\n\n"),
      };
    }
    const tool = toolFor(situation);
    return tool && { call: [{ name: tool.name, input: inputFor(tool, situation.text) }] };
  },
};
