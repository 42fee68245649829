/** Names one agent of a deployment; the first two parts of most subjects and keys. */
export type AgentRef = { readonly tenant: string; readonly agent: string };
