import { z } from "zod";
import { Config } from "./config.ts";

export type JsonSchema = z.core.JSONSchema.BaseSchema;

/** JSON schema of the file for editors. It accepts `${NAME}` in place of any string, number or boolean. */
export const configJsonSchema = (): JsonSchema => ({
  title: "Mooring configuration",
  ...z.toJSONSchema(Config, {
    io: "input",
    override: ({ jsonSchema, path }) => {
      if (path.at(-1) !== "propertyNames") allowVariable(jsonSchema);
    },
  }),
});

const VARIABLE: JsonSchema = { type: "string", pattern: "\\$\\{\\w+\\}" };
const NARROWER_THAN_TEXT = ["enum", "pattern", "format"];

const allowVariable = (schema: JsonSchema): void => {
  const refusesVariables =
    schema.type === "string"
      ? NARROWER_THAN_TEXT.some((rule) => rule in schema)
      : ["integer", "number", "boolean"].includes(String(schema.type));
  if (!refusesVariables) return;
  const { description, default: fallback, ...rules } = schema;
  for (const rule of Object.keys(rules)) delete schema[rule];
  schema.anyOf = [rules, VARIABLE];
};
