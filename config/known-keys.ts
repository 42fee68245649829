import { z } from "zod";
import { Config } from "./config.ts";
import type { JsonSchema } from "./json-schema.ts";
import { type KeyPath, valueAt } from "./key-path.ts";

/** Made once, and only for a file that needs it. */
let fileSchema: JsonSchema | undefined;

/** The keys that a map at this path may have, given what the file says there (its `adapter`, its `role`). */
export const knownKeys = (path: KeyPath, root: unknown): string[] => {
  fileSchema ??= z.toJSONSchema(Config, { io: "input" });
  let schemas = fitting(fileSchema, root);
  path.forEach((step, index) => {
    const value = valueAt(root, path.slice(0, index + 1));
    schemas = schemas.flatMap((schema) => inside(schema, step)).flatMap((schema) => fitting(schema, value));
  });
  return [...new Set(schemas.flatMap((schema) => Object.keys(schema.properties ?? {})))];
};

const inside = (schema: JsonSchema, step: string | number): JsonSchema[] =>
  [schema.properties?.[step] ?? schema.additionalProperties, schema.items].flat().filter(isSchema);

/** The schema itself, or those of its alternatives that the value does not rule out. */
const fitting = (schema: JsonSchema, value: unknown): JsonSchema[] => {
  const alternatives = schema.anyOf ?? schema.oneOf;
  if (alternatives === undefined) return isRuledOut(schema, value) ? [] : [schema];
  return alternatives.flatMap((alternative) => fitting(alternative, value));
};

const isRuledOut = (schema: JsonSchema, value: unknown): boolean =>
  Object.entries(schema.properties ?? {}).some(
    ([key, property]) => isSchema(property) && "const" in property && property.const !== valueAt(value, [key]),
  );

const isSchema = (schema: unknown): schema is JsonSchema => typeof schema === "object" && schema !== null;
