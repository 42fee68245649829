/** Files that are mutated together, and the in-process tests that must kill the mutants, fastest first. */
export interface Part {
  readonly name: string;
  readonly mutate: readonly string[];
  readonly tests: readonly string[];
}

/** At least this share of a part's mutants must be killed. */
export const MIN_SCORE = 85;

export const parts: readonly Part[] = [
  {
    name: "origin",
    mutate: [
      "core/origin/*.ts",
      "core/lib/{mask-secrets,shorten-text,strip-markup}.ts",
      "core/commands/explain/explain.ts",
      "core/intake/prompt-summary.ts",
    ],
    tests: [
      "test/core/origin/{anchor,golden}.test.ts",
      "test/core/lib/{shorten-text,strip-markup}.test.ts",
      "test/core/commands/{explain,work-tree}.test.ts",
      "test/core/intake/prompt-summary.test.ts",
      "test/core/delivery/resolve-replied-to.test.ts",
      "test/gateway/relay/sending/anchor-in.test.ts",
    ],
  },
  {
    name: "delivery",
    mutate: ["core/delivery/**/*.ts"],
    tests: ["test/core/delivery/**/!(*property*).test.ts"],
  },
  {
    name: "batches",
    mutate: [
      "core/subtasks/batch/{batch-effects,batch-transitions,reserve}.ts",
      "core/subtasks/owner/{batch,owner-record,owner-record-writer,parked-jobs}.ts",
    ],
    tests: [
      "test/core/subtasks/batch/{batch-transitions,batch-effects,batch-calls}.test.ts",
      "test/core/subtasks/owner/{owner-record,owner-record-writer}.test.ts",
    ],
  },
  { name: "ledger", mutate: ["gateway/relay/sending/ledger.ts"], tests: ["test/gateway/relay/sending/ledger.test.ts"] },
  {
    name: "access",
    mutate: ["gateway/relay/channel-rules.ts", "adapters/discord/intake/access.ts", "adapters/slack/author.ts"],
    tests: [
      "test/gateway/relay/inbound/{channel-rules,admits}.test.ts",
      "test/gateway/access-of-channels.test.ts",
      "test/adapters/discord/access.test.ts",
      "test/adapters/slack/{membership,profiles}.test.ts",
    ],
  },
  {
    name: "discord",
    mutate: ["adapters/discord/{inbound,markdown,payload,render}.ts"],
    tests: ["test/adapters/discord/{ids,events,messages,render}.test.ts"],
  },
  {
    name: "slack",
    mutate: ["adapters/slack/{inbound,mrkdwn,payload,render}.ts"],
    tests: ["test/adapters/slack/{payload,posts,anchors-and-buttons,events,mrkdwn,render}.test.ts"],
  },
  {
    name: "teams",
    mutate: ["adapters/teams/{activity,inbound,markdown,render}.ts"],
    tests: ["test/adapters/teams/{activity,sent-files,events,card,render}.test.ts"],
  },
  {
    name: "web",
    mutate: ["adapters/web/{inbound,render}.ts", "adapters/web/server/frame-codec.ts"],
    tests: ["test/adapters/web/frames.test.ts"],
  },
];
