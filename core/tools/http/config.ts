import { z } from "zod";
import { secret } from "../../contract/secret.ts";
import { fixedQueryOf, placeholdersOf, urlTemplateProblem } from "./url-template.ts";

const METHODS = ["GET", "POST", "PUT", "PATCH", "DELETE"] as const;

/** The `__` is reserved for the tools of MCP servers. */
const ToolName = z.string().regex(/^(?!.*__)[A-Za-z0-9_-]{1,64}$/, {
  error: 'must have 1 to 64 letters, digits, "_" or "-", and no "__"',
});

const HeaderName = z.string().regex(/^[!#$%&'*+.^`|~\w-]+$/, { error: "is not the name of an HTTP header" });

const ObjectSchema = z.looseObject({
  type: z.literal("object", { error: "must be object, because arguments have names" }).default("object"),
  properties: z
    .record(z.string().regex(/^[\w-]{1,64}$/, { error: "is not a name for an argument" }), z.looseObject({}))
    .default({}),
  required: z.array(z.string()).optional(),
});

/** JSON schema of the arguments. Its properties are needed by name, the rest is for model and validation. */
const InputSchema = z
  .record(z.string(), z.unknown())
  .pipe(ObjectSchema)
  .refine(isReadable, { error: "is not a JSON schema that can be checked: simplify it" });

export const HttpToolConfig = z
  .strictObject({
    name: ToolName.describe("Its name for the model and in rights, as tool:<name>."),
    description: z.string().trim().min(1).max(4_000).describe("Tells the model what it does and when to use it."),
    method: z.enum(METHODS).default("GET").describe("The method of the request."),
    url: z
      .string()
      .describe("The address, with {name} in path or query for arguments, which never change scheme, host or port."),
    headers: z.record(HeaderName, secret()).default({}).describe("Headers of each request, such as Authorization."),
    input: InputSchema.default({ type: "object", properties: {} }).describe(
      "JSON schema of the arguments. Those that are not in the address go to the query of GET and DELETE, else to a JSON body.",
    ),
    approval: z
      .enum(["ask", "never"])
      .optional()
      .describe("Whether a person approves each call; by default for DELETE."),
    destructive: z
      .boolean()
      .optional()
      .describe(
        "It changes or deletes something for good, so that one approval is for one call; by default for DELETE.",
      ),
    repeatable: z
      .boolean()
      .optional()
      .describe("A call that a crash interrupted is repeated with the same Idempotency-Key; by default for GET."),
    timeoutMs: z.int().min(100).max(600_000).default(30_000).describe("Time limit of one call, in milliseconds."),
    maxBytes: z.int().min(1_000).max(20_000_000).default(1_000_000).describe("Largest answer, in bytes."),
  })
  .superRefine((tool, context) => {
    const problem = urlTemplateProblem(tool.url);
    if (problem !== undefined) return void context.addIssue({ code: "custom", path: ["url"], message: problem });
    const declared = Object.keys(tool.input.properties);
    for (const name of placeholdersOf(tool.url)) {
      if (!declared.includes(name) || tool.input.required?.includes(name) !== true) {
        const message = `must have "${name}" in properties and in required, because the url has {${name}}`;
        context.addIssue({ code: "custom", path: ["input"], message });
      }
    }
    for (const name of fixedQueryOf(tool.url).filter((fixed) => declared.includes(fixed))) {
      const message = `must not have "${name}": the url sets it already`;
      context.addIssue({ code: "custom", path: ["input", "properties"], message });
    }
  });
export type HttpToolConfig = z.infer<typeof HttpToolConfig>;

function isReadable(schema: object): boolean {
  try {
    z.fromJSONSchema(schema as Parameters<typeof z.fromJSONSchema>[0]);
    return true;
  } catch {
    return false;
  }
}
