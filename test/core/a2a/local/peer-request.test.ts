import { describe, expect, it } from "vitest";
import { peerRequestPrompt } from "../../../../core/a2a/local/peer-request.ts";
import type { PeerMode } from "../../../../core/contract/messages/inbound-call.ts";
import type { SyntheticMessageOf } from "../../../../core/contract/messages/user-message.ts";
import { defaultPeering } from "../../../../core/turns/limits/agent-limits.ts";
import type { Agent } from "../../../../core/turns/turn.ts";

const promptOf = (mode: PeerMode, maxToolRounds: number, peering = defaultPeering) => {
  const message = { text: "count the boats", synthetic: { data: { mode } } } as SyntheticMessageOf<"peer">;
  return peerRequestPrompt({ maxToolRounds, peering } as Agent, message);
};

describe("given a turn that a message of another agent starts (A5)", () => {
  it.each([
    ["notify", 8, 2],
    ["consult", 8, 2],
    ["task_delegate", 8, 8],
    ["notify", 1, 1],
    ["consult", 1, 1],
    ["task_delegate", 1, 1],
  ] as const)("when its mode is %s and its agent has %i tool rounds, then it has %i", (mode, own, rounds) => {
    expect(promptOf(mode, own).toolRounds).toBe(rounds);
  });

  it("when the agent configures the rounds of such turns, then only delegated work has more", () => {
    const peering = { ...defaultPeering, wakeToolRounds: 3 };
    const rounds = (["notify", "consult", "task_delegate"] as const).map(
      (mode) => promptOf(mode, 8, peering).toolRounds,
    );
    expect(rounds).toEqual([3, 3, 8]);
  });

  it.each([
    ["notify", false],
    ["consult", true],
    ["task_delegate", true],
  ] as const)("when its mode is %s, then it must reply: %s", (mode, mustReply) => {
    expect(promptOf(mode, 8)).toMatchObject({ text: "count the boats", mustReply, obsolete: false });
  });
});
