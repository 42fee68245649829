import type { AdapterDefinition } from "../contract/adapter-definition.ts";
import { WebConfig } from "./config.ts";
import { OWNER_VISITOR } from "./protocol-constants.ts";

export const web: AdapterDefinition<typeof WebConfig> = {
  id: "web",
  label: "Web: a widget on your pages",
  config: WebConfig,
  questions: [],
  // A visitor that the access rules name counts as identified.
  speakers: ({ identityKey, access: { accounts = "*" } = {} }) => [
    ...(accounts === "*" ? (["anonymous"] as const) : []),
    ...(accounts !== "*" || identityKey !== undefined ? (["member"] as const) : []),
  ],
  ownerAccount: OWNER_VISITOR,
  async create(config, context) {
    const { WebAdapter } = await import("./adapter.ts");
    return new WebAdapter(config, context);
  },
};
