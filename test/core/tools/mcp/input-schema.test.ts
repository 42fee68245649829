import { Ajv2020 } from "ajv/dist/2020.js";
import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { inputCheck, inputSchemaFor } from "../../../../core/tools/mcp/list/input-schema.ts";
import { propertyRuns } from "../../../setup/property-runs.ts";

const ajv = new Ajv2020({ strict: false, logger: false });
/** Providers validate the schemas of a request, and refuse all of it for one that is invalid. */
const isValid = (schema: object) => ajv.validateSchema(schema) === true;

const KEYWORDS = [
  ...["type", "properties", "required", "items", "enum", "const", "default", "examples", "description", "format"],
  ...["pattern", "patternProperties", "minimum", "exclusiveMinimum", "maxLength", "minItems", "multipleOf"],
  ...["uniqueItems", "additionalProperties", "oneOf", "anyOf", "allOf", "not", "$ref", "$defs", "definitions", "$id"],
  ...["nullable", "readOnly", "propertyNames", "dependentRequired", "x-order", "__proto__", "title"],
];

const { schema: anySchema } = fc.letrec<{ schema: unknown; value: unknown }>((tie) => ({
  schema: fc.dictionary(fc.constantFrom(...KEYWORDS), tie("value"), { maxKeys: 6 }),
  value: fc.oneof(
    { depthSize: "small", maxDepth: 5 },
    fc.constantFrom("string", "STRING", "any", "object", "array", "#", "#/$defs/a", "#/properties/a", "(", "", "a+$"),
    fc.constantFrom(true, false, null, 0, -1, 1.5, 3),
    fc.array(fc.constantFrom("a", "b", "string", "null", 1), { maxLength: 3 }),
    tie("schema"),
    fc.array(tie("schema"), { maxLength: 2 }),
    fc.dictionary(fc.constantFrom("a", "b c", "type", "properties"), tie("schema"), { maxKeys: 2 }),
  ),
}));

describe("given the schema of a tool that a server sends (T2)", () => {
  it.each([
    ["an unknown type", { type: "any" }, {}],
    ["a type in capitals", { type: "STRING" }, { type: "string" }],
    ["a list of types with an unknown one", { type: ["string", "file"] }, { type: "string" }],
    ["required as a flag", { type: "string", required: true }, { type: "string" }],
    ["bounds of an older standard", { minimum: 1, exclusiveMinimum: true }, { minimum: 1 }],
    ["an empty list of values", { type: "string", enum: [] }, { type: "string" }],
    ["an array without items", { type: "array" }, { type: "array", items: {} }],
    ["a list of items", { type: "array", items: [{ type: "string" }] }, { type: "array", items: {} }],
    ["a pattern that is not one", { type: "string", pattern: "(" }, { type: "string" }],
    ["a description that is not text", { description: ["x"] }, {}],
  ])("when an argument has %s, then the model gets a schema that providers take", (_, argument, expected) => {
    const raw = { type: "object", properties: { a: argument }, required: ["a"] };
    const schema = inputSchemaFor(raw, { trusted: true });
    expect(schema).toEqual({ type: "object", properties: { a: expected }, required: ["a"] });
    expect(isValid(schema)).toBe(true);
  });

  it.each([true, false])(
    "when it is anything at all, then it becomes a valid object schema (trusted: %s)",
    (trusted) => {
      fc.assert(
        fc.property(anySchema, fc.jsonValue(), (raw, other) => {
          for (const given of [raw, other, { properties: { a: raw } }]) {
            const schema = inputSchemaFor(given, { trusted });
            expect(schema.type).toBe("object");
            expect(ajv.validateSchema(schema), JSON.stringify([schema, ajv.errors])).toBe(true);
            expect(() => inputCheck(schema).safeParse({ a: 1 })).not.toThrow();
          }
        }),
        propertyRuns(400),
      );
    },
  );
});
