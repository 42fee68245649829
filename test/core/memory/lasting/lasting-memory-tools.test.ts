import { describe, expect, it } from "vitest";
import type { ToolContext } from "../../../../core/contract/tool.ts";
import { defaultMemory } from "../../../../core/memory/lasting/config.ts";
import { lastingMemoryTools } from "../../../../core/memory/lasting/lasting-memory-tools.ts";
import { MemoryStore } from "../../../adapters/web/memory-store.ts";
import { ManualClock } from "../../../fakes/manual-clock.ts";

const clock = new ManualClock(Date.UTC(2026, 2, 10, 12));

/** Runs `remember` as one call of a turn, with a budget that has this many bytes left. */
const rig = (bytesLeft: number) => {
  const store = new MemoryStore(clock);
  const taken: number[] = [];
  const [tool] = lastingMemoryTools({ store, clock }, defaultMemory);
  const remember = (text: string, idempotencyKey = text, more: object = {}) =>
    tool?.run(tool.input.parse({ text }), {
      tenant: "default",
      agent: "mooring",
      audience: { conversation: { channel: "web", room: "dm", kind: "private" }, personId: null, accountId: "ann" },
      asker: { name: "Ann" },
      delegationContext: { owner: { ownerType: "agent", ownerId: "s-1" } },
      idempotencyKey,
      budget: {
        take: async ({ bytes = 0 }) => {
          if (bytes > bytesLeft) return "The budget of stored bytes is used up.";
          taken.push(bytes);
          return undefined;
        },
      },
      ...more,
    } as unknown as ToolContext);
  return { remember, taken };
};

describe("given the budget of a person (R2)", () => {
  it("when an entry is stored, then its bytes count once, also if the call is repeated", async () => {
    const { remember, taken } = rig(100);
    await remember("Zoë", "call-1");
    await remember("Zoë", "call-1");
    await remember("zoë", "call-2");
    expect(taken).toEqual([4]);
  });

  it("when the budget has too few bytes left, then nothing is stored and the refusal says why", async () => {
    const { remember } = rig(3);
    await expect(remember("Zoë", "call-1")).rejects.toThrow("The budget of stored bytes is used up.");
    expect(await remember("Eve", "call-2")).toBe("Remembered for this person as entry 1: Eve");
  });
});

describe("given bad input", () => {
  it.each([
    ["is empty after invisible characters are removed", "\u200b \u202e ", {}, "The text is empty."],
    [
      "comes from work for another agent",
      "tea",
      { delegationContext: { owner: { ownerType: "orchestrator", ownerId: "s", worksFor: {} } } },
      "This work is for no person, so it has no lasting memory.",
    ],
    [
      "comes from a schedule without a person",
      "tea",
      { audience: { conversation: { channel: "web", room: "r", kind: "shared" }, personId: null } },
      "No person asked for this work, so it cannot be remembered.",
    ],
  ])("when the text %s, then the error says so", async (_, text, more, error) => {
    await expect(rig(100).remember(text, "call-1", more)).rejects.toThrow(error);
  });

  it("when the text is longer than an entry may be, then the schema refuses it", () => {
    expect(() => rig(10_000).remember("x".repeat(1_001))).toThrow("1000");
  });

  it("when it has several lines and controls, then the entry is one line", async () => {
    expect(await rig(100).remember("a\n\tb\u0007c\u202e")).toBe("Remembered for this person as entry 1: a b c");
  });
});
