/** A fault that the product survives, and the test files that inject it. Each file cites its number. */
export interface Row {
  readonly fault: string;
  readonly coveredIn: readonly string[];
}

const SEEDED = ["test/faults/seeded-embedded.test.ts", "test/faults/seeded-nats.test.ts"];
const OUTBOX = "test/gateway/relay/outbox/outbox.test.ts";
const FUZZED = [
  "a2a",
  "admin-api",
  "bus-messages",
  "configuration",
  "discord",
  "nats-envelopes",
  "slack-http",
  "slack-socket",
  "socket-frames",
  "store-rows",
  "teams",
  "telegram",
];
const PLATFORM_FAULT = "test/contract/channel/adapter-failures.ts";

/** `docs/reliability.md` describes the outcome of each, and the faults that cannot be tested on one machine. */
export const matrix: Readonly<Record<string, Row>> = {
  F1: {
    fault: "kill -9 of a gateway: before and after it has stored a message, and with answers in progress",
    coveredIn: ["test/gateway/relay/relay-crashes.ts", "test/adapters/web/server/resume.test.ts", ...SEEDED],
  },
  F2: {
    fault: "kill -9 of a core at every step of a turn",
    coveredIn: ["test/core/crashes/turn-crashes.ts", "test/core/crashes/random-delegation-crashes.ts", ...SEEDED],
  },
  F3: {
    fault: "kill -9 of nats-server under load",
    coveredIn: [
      "test/core/backbone/nats/server-faults.test.ts",
      "test/core/backbone/nats/connection/broken-wire.test.ts",
      "test/e2e/nats-stream.test.ts",
      "test/faults/seeded-nats.test.ts",
    ],
  },
  F4: {
    fault: "nats-server is down at the start",
    coveredIn: ["test/core/backbone/nats/basics.test.ts", "test/e2e/failed-starts.test.ts"],
  },
  F5: {
    fault: "kill -9 of the embedded process at any time",
    coveredIn: ["test/core/backbone/embedded/kill.test.ts", "test/faults/seeded-embedded.test.ts"],
  },
  F6: {
    fault: "a client that never reads",
    coveredIn: ["test/adapters/web/server/limits.test.ts", "test/gateway/a2a/http/send-events.test.ts"],
  },
  F7: {
    fault: "a process that is suspended for longer than its lease, and resumes",
    coveredIn: [
      "test/contract/bus-crashes.contract.ts",
      "test/adapters/web/server/resume.test.ts",
      "test/faults/seeded-nats.test.ts",
    ],
  },
  F8: {
    fault: "a socket client that was disconnected, also past retention",
    coveredIn: ["test/adapters/web/server/resume.test.ts", ...SEEDED],
  },
  F9: {
    fault: "a rate limit of a platform (429)",
    coveredIn: [OUTBOX, "test/gateway/relay/sending/retry-pause.test.ts", PLATFORM_FAULT, ...SEEDED],
  },
  F10: { fault: "a platform that fails, hangs, or answers nonsense", coveredIn: [OUTBOX, PLATFORM_FAULT, ...SEEDED] },
  F11: {
    fault: "a platform that accepts a message and whose response is lost",
    coveredIn: [OUTBOX, PLATFORM_FAULT, "test/gateway/relay/relay-crashes.ts", ...SEEDED],
  },
  F12: {
    fault: "a duplicate inbound message, at once or much later",
    coveredIn: ["test/gateway/late-duplicates.test.ts", "test/adapters/web/server/resume.test.ts", ...SEEDED],
  },
  F13: {
    fault: "edits and deletions, also of unknown messages",
    coveredIn: [
      "test/adapters/slack/inbound.test.ts",
      "test/adapters/discord/connection.test.ts",
      "test/adapters/teams/inbound.test.ts",
    ],
  },
  F14: { fault: "the clock jumps by hours", coveredIn: ["test/faults/clock-jump.test.ts"] },
  F15: {
    fault: "the disk is full",
    coveredIn: ["test/core/backbone/embedded/full-disk.test.ts", "test/adapters/web/files/full-disk.test.ts"],
  },
  F16: { fault: "the disk fails", coveredIn: ["test/core/backbone/embedded/kill.test.ts"] },
  F17: {
    fault: "the power fails after a message was acknowledged",
    coveredIn: ["test/core/backbone/embedded/write-queue.test.ts"],
  },
  F18: {
    fault: "a message whose handler throws, hangs, or kills its process",
    coveredIn: [
      "test/contract/bus.contract.ts",
      "test/contract/bus-crashes.contract.ts",
      "test/core/turns/model-failures.test.ts",
      "test/core/crashes/turn-crashes.ts",
    ],
  },
  F19: {
    fault: "malformed input",
    coveredIn: [
      "test/adapters/web/server/bad-input.test.ts",
      "test/adapters/slack/bad-input.test.ts",
      "test/adapters/teams/refusals.test.ts",
      "test/gateway/a2a/bad-input.test.ts",
      ...FUZZED.map((entrance) => `test/fuzz/${entrance}.test.ts`),
    ],
  },
  F20: {
    fault: "oversized input, and answers longer than a platform allows",
    coveredIn: [
      "test/adapters/web/server/bad-input.test.ts",
      "test/gateway/http/server.test.ts",
      "test/gateway/a2a/bad-input.test.ts",
      "test/adapters/contract/markdown/split-markdown.test.ts",
    ],
  },
  F21: {
    fault: "too many connections, and half-open ones",
    coveredIn: [
      "test/adapters/web/server/limits.test.ts",
      "test/adapters/web/server/bad-input.test.ts",
      "test/gateway/http/http-listener.test.ts",
    ],
  },
  F22: {
    fault: "forged, missing and stale signatures",
    coveredIn: [
      "test/adapters/slack/bad-input.test.ts",
      "test/adapters/teams/refusals.test.ts",
      "test/adapters/web/identity/identity.test.ts",
    ],
  },
  F23: { fault: "a replayed genuine request", coveredIn: ["test/adapters/slack/bad-input.test.ts"] },
  F24: {
    fault: "secrets that could get into logs",
    coveredIn: ["test/e2e/secrets.test.ts", "test/gateway/telemetry/create-logger.test.ts"],
  },
  F25: {
    fault: "hostile text of a model: mentions, anchors, mark-up",
    coveredIn: [
      "test/contract/channel/adapter-posts.ts",
      "test/adapters/contract/markdown/escape-anchors.test.ts",
      "test/adapters/slack/render.test.ts",
      "test/adapters/discord/render.test.ts",
      "test/adapters/teams/render.test.ts",
      "test/adapters/web/widget/widget-conversation.test.ts",
    ],
  },
  F26: {
    fault: "addresses that lead into private networks",
    coveredIn: ["test/core/net/guarded-fetch.test.ts", "test/gateway/a2a/push.test.ts"],
  },
  F27: {
    fault: "the token, conversation, task or tenant of another party",
    coveredIn: [
      "test/adapters/web/identity/identity.test.ts",
      "test/gateway/a2a/protocol.test.ts",
      "test/gateway/admin/schedules.test.ts",
    ],
  },
  F28: { fault: "an outsider on NATS", coveredIn: ["test/e2e/nats-permissions.test.ts"] },
  F29: {
    fault: "memory over a long time, and under clients that never read",
    coveredIn: ["test/core/backbone/embedded/memory.test.ts", "test/adapters/web/server/limits.test.ts"],
  },
  F30: {
    fault: "processes that are stopped one after the other under load",
    coveredIn: [
      "test/outside/rolling-restart.test.ts",
      "test/e2e/nats-load.test.ts",
      "test/e2e/embedded-load.test.ts",
      "test/adapters/web/server/limits.test.ts",
      ...SEEDED,
    ],
  },
  F31: {
    fault: "processes of two versions on one backbone",
    coveredIn: [
      "test/outside/rolling-restart.test.ts",
      "test/contract/bus.contract.ts",
      "test/contract/store.contract.ts",
    ],
  },
  F32: {
    fault: "requests, upgrades and probes from the moment the port listens, and during a stop",
    coveredIn: ["test/outside/request-storm.test.ts", "test/gateway/http/http-listener.test.ts"],
  },
  F33: {
    fault: "one channel misconfigured, revoked, or its platform down",
    coveredIn: ["test/outside/degraded-channels.test.ts", "test/gateway/relay/channel-health.test.ts"],
  },
  F34: {
    fault: "a node of a NATS cluster, also its leader, is killed, suspended or restarted",
    coveredIn: ["test/faults/seeded-nats-cluster.test.ts", "test/core/backbone/nats/partitions/lost-messages.test.ts"],
  },
  F35: {
    fault: "a NATS cluster without a quorum for 15 s: two of three nodes are killed or frozen, and come back",
    coveredIn: [
      "test/outside/quorum-return.test.ts",
      "test/outside/nats-readiness.test.ts",
      "test/core/backbone/nats/cluster-codes.test.ts",
      "test/core/backbone/nats/health.test.ts",
      "test/scale/quorum-return.test.ts",
    ],
  },
  F36: {
    fault: "a pull request that the server drops without a status",
    coveredIn: ["test/core/backbone/nats/partitions/lost-pulls.test.ts"],
  },
  F37: {
    fault: "an answer that cannot be rendered, in every channel",
    coveredIn: [
      "test/outside/hostile-answers.test.ts",
      "test/adapters/hostile-replies.test.ts",
      "test/contract/channel/adapter-rendering.ts",
      "test/gateway/relay/sending/unrenderable.test.ts",
    ],
  },
  F38: {
    fault: "bodies that are announced and never sent",
    coveredIn: ["test/outside/slow-bodies.test.ts", "test/gateway/http/body-budget.test.ts"],
  },
  F41: {
    fault: "a new version on the data of an earlier release",
    coveredIn: ["test/outside/frozen-data.test.ts"],
  },
};
