import { z } from "zod";
import { HttpToolConfig } from "./http/config.ts";

/** A module, relative to the configuration file. check-references.ts does not load it. */
const ModulePath = z.string().min(1);

/** A file with tools that `defineTool` made, or a tool that is a request to an HTTP service. */
export const ToolsConfig = z.array(z.union([ModulePath, HttpToolConfig])).superRefine((entries, context) => {
  const names = entries.map((entry) => (typeof entry === "string" ? undefined : entry.name));
  for (const [index, name] of names.entries()) {
    if (name !== undefined && names.indexOf(name) !== index) {
      context.addIssue({ code: "custom", path: [index, "name"], message: "another tool has this name: rename one" });
    }
  }
});
export type ToolsConfig = z.infer<typeof ToolsConfig>;

/** A host name, or `*.` and a domain for all its subdomains; with a port if it is not the default one. */
const Host = z.string().regex(/^(\*\.)?[a-z0-9-]+(\.[a-z0-9-]+)*(:\d{1,5})?$/, {
  error: 'must be a host such as "docs.example.org" or "*.example.org", in lower case and without a path',
});

/** Settings of the tool `fetch_url`, which needs the right `tool:fetch_url`. */
export const FetchUrlConfig = z.strictObject({
  hosts: z
    .array(Host)
    .max(500)
    .default([])
    .describe(
      "Hosts whose pages it may read; *.example.org for all subdomains. Else only addresses that the person wrote.",
    ),
  allowNetworks: z
    .array(z.string().min(1))
    .default([])
    .describe("Private networks that it may reach, such as 10.1.0.0/16. By default it reaches none."),
  maxBytes: z
    .int()
    .min(10_000)
    .max(20_000_000)
    .default(5_000_000)
    .describe("Largest page or PDF that it reads, in bytes."),
  timeoutMs: z.int().min(100).max(120_000).default(20_000).describe("Time limit of one page, in milliseconds."),
});
export type FetchUrlConfig = z.infer<typeof FetchUrlConfig>;
