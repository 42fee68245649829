export type AgentRef = { readonly tenant: string; readonly agent: string };
