/**
 * One tool of each kind, and the number of records of its call in the journal. The module's tool is not repeatable, as by
 * default, so its intent is stored too.
 */
export const KINDS = [
  { kind: "MCP stdio", tool: "local__echo", records: 2 },
  { kind: "MCP HTTP", tool: "remote__echo", records: 2 },
  { kind: "HTTP tool", tool: "fetch_echo", records: 2 },
  { kind: "module", tool: "module_echo", records: 3 },
  { kind: "fetch_url", tool: "fetch_url", records: 2 },
] as const;

export type Kind = (typeof KINDS)[number]["kind"];
