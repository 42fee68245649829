import { z } from "zod";
import { type ForeignAdapters, NO_FOREIGN_ADAPTERS, settingsSchema } from "../foreign/foreign-adapter.ts";
import { Config } from "./config.ts";

export type JsonSchema = z.core.JSONSchema.BaseSchema;

type Override = NonNullable<NonNullable<Parameters<typeof z.toJSONSchema>[1]>["override"]>;

/** JSON schema of the file for editors. It accepts `${NAME}` and `${file:PATH}` in place of any string, number or boolean. */
export const configJsonSchema = (foreign: ForeignAdapters = NO_FOREIGN_ADAPTERS): JsonSchema => ({
  title: "Mooring configuration",
  ...fileSchema(foreign, ({ jsonSchema, path }) => {
    if (path.at(-1) !== "propertyNames") allowVariable(jsonSchema);
  }),
});

/** JSON schema of the file, with the settings of the adapters that it has loaded. */
export const fileSchema = (foreign: ForeignAdapters, override?: Override): JsonSchema => {
  const options = override === undefined ? {} : { override };
  const schema: JsonSchema = z.toJSONSchema(Config, { ...options, io: "input" });
  const channels = schema.properties?.channels;
  const channel = typeof channels === "object" ? channels.additionalProperties : undefined;
  if (typeof channel !== "object") return schema;
  const own = [...foreign.values()].flatMap((found) =>
    "adapter" in found ? [named(found.adapter.name, settingsSchema(found.adapter.definition.config, options))] : [],
  );
  (channel.oneOf ?? channel.anyOf)?.push(...own);
  return schema;
};

/** A channel names a foreign adapter by its path or package, not by the id in its schema. */
const named = (name: string, schema: JsonSchema): JsonSchema => {
  const alternatives = schema.anyOf ?? schema.oneOf ?? schema.allOf;
  for (const each of alternatives ?? []) named(name, each as JsonSchema);
  if (schema.properties?.adapter !== undefined) schema.properties.adapter = { const: name, type: "string" };
  return schema;
};

const VARIABLE: JsonSchema = { type: "string", pattern: "\\$\\{(\\w+|file:[^}]+)\\}" };
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
