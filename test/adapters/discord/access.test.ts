import { beforeEach, describe, expect, it } from "vitest";
import { DeliveryFailed } from "../../../adapters/contract/delivery-failed.ts";
import type { RestCalls } from "../../../adapters/discord/api/rest-calls.ts";
import type { DiscordAccess } from "../../../adapters/discord/config.ts";
import { DiscordAccessCheck } from "../../../adapters/discord/intake/access.ts";
import type { Conversation } from "../../../core/contract/messages/conversation.ts";
import { ManualClock } from "../../fakes/manual-clock.ts";

const alone: Conversation = { channel: "discord", room: "dm", kind: "private" };
const room = (workspace: string, name: string): Conversation => ({
  channel: "discord",
  workspace,
  room: name,
  kind: "shared",
});

let clock: ManualClock;
/** Members, as `<guild>/<account>`. */
let members: Set<string>;
let asked: string[];
let failure: Error | undefined;
beforeEach(() => {
  clock = new ManualClock();
  members = new Set();
  asked = [];
  failure = undefined;
});
const check = (access: Partial<DiscordAccess>) => {
  const call = async (method: string, route: string) => {
    expect(method).toBe("get");
    const [, , guild, , account] = route.split("/");
    asked.push(`${guild}/${account}`);
    if (failure) throw failure;
    if (!members.has(`${guild}/${account}`)) throw new DeliveryFailed("target-gone", "Unknown Member");
  };
  return new DiscordAccessCheck(
    { mentionOnly: true, ...access } as DiscordAccess,
    { call } as unknown as RestCalls,
    clock,
  );
};

describe("given the servers and rooms that the agent listens in (I2)", () => {
  it("then both must be allowed, and a private conversation belongs to neither", () => {
    const access = check({ workspaces: ["north"], rooms: ["harbour"] });
    expect(access.allowsConversation(room("north", "harbour"))).toBe(true);
    expect(access.allowsConversation(room("south", "harbour"))).toBe(false);
    expect(access.allowsConversation(room("north", "town"))).toBe(false);
    expect(access.allowsConversation(alone)).toBe(true);
    expect(access.mentionOnly).toBe(true);
  });

  it("when none is configured, then all are allowed", () => {
    expect(check({ workspaces: "*" }).allowsConversation(room("south", "town"))).toBe(true);
    expect(check({}).allowsConversation(room("south", "town"))).toBe(true);
    expect(check({ workspaces: ["north"] }).allowsConversation(room("north", "town"))).toBe(true);
    expect(check({ rooms: ["harbour"] }).allowsConversation(room("north", "town"))).toBe(false);
  });
});

describe("given the author of a direct message (I2)", () => {
  it("when servers are configured, then the author must be a member of one of them", async () => {
    const access = check({ workspaces: ["north", "south"] });
    members.add("south/ann");
    expect(await access.mayWrite(alone, "ann")).toBe(true);
    expect(await access.mayWrite(alone, "bob")).toBe(false);
    expect(asked).toEqual(["north/ann", "south/ann", "north/bob", "south/bob"]);
  });

  it("when all servers or accounts are configured, or it is a room, then membership is not requested from Discord", async () => {
    expect(await check({ workspaces: "*" }).mayWrite(alone, "bob")).toBe(true);
    expect(await check({}).mayWrite(alone, "bob")).toBe(true);
    expect(await check({ workspaces: ["north"], accounts: ["ann"] }).mayWrite(alone, "bob")).toBe(true);
    expect(await check({ workspaces: ["north"] }).mayWrite(room("north", "harbour"), "bob")).toBe(true);
    expect(asked).toEqual([]);
  });

  it("then membership is cached for ten minutes, and non-membership for one", async () => {
    const access = check({ workspaces: ["north"] });
    members.add("north/ann");
    await access.mayWrite(alone, "ann");
    await access.mayWrite(alone, "bob");
    clock.advance(59_999);
    members.add("north/bob");
    expect(await access.mayWrite(alone, "bob")).toBe(false);
    clock.advance(1);
    expect(await access.mayWrite(alone, "bob")).toBe(true);
    clock.advance(600_000 - 60_001);
    members.clear();
    expect(await access.mayWrite(alone, "ann")).toBe(true);
    clock.advance(1);
    expect(await access.mayWrite(alone, "ann")).toBe(false);
    expect(asked).toEqual(["north/ann", "north/bob", "north/bob", "north/ann"]);
  });

  it("when the bot lacks access, then the author is not a member; when Discord fails, then the check fails", async () => {
    const access = check({ workspaces: ["north"] });
    failure = new DeliveryFailed("forbidden", "Missing Access");
    expect(await access.mayWrite(alone, "ann")).toBe(false);
    failure = new DeliveryFailed("unavailable", "HTTP 502");
    await expect(access.mayWrite(alone, "bob")).rejects.toThrow("HTTP 502");
    failure = new TypeError("broken");
    await expect(access.mayWrite(alone, "bob")).rejects.toThrow("broken");
    failure = undefined;
    members.add("north/bob");
    expect(await access.mayWrite(alone, "bob")).toBe(true);
  });
});

describe("given a private answer (D3)", () => {
  it("when the account has just left the server, then it sees nothing more, although its membership is cached", async () => {
    const access = check({ workspaces: ["north"] });
    members.add("north/ann");
    expect(await access.mayWrite(alone, "ann")).toBe(true);
    members.clear();
    expect(await access.maySee(alone, "ann")).toBe(false);
    expect(await access.mayWrite(alone, "ann")).toBe(false);
    expect(asked).toHaveLength(2);
  });

  it("when several messages are sent in the same second, then Discord gets one request per account", async () => {
    const access = check({ workspaces: ["north"] });
    members.add("north/ann");
    clock.advance(5_000);
    await Promise.all(["ann", "bob", "ann"].map((account) => access.maySee(alone, account)));
    clock.advance(999);
    expect(await access.maySee(alone, "ann")).toBe(true);
    expect(asked).toEqual(["north/ann", "north/bob"]);
    clock.advance(1);
    await access.maySee(alone, "ann");
    expect(asked).toEqual(["north/ann", "north/bob", "north/ann"]);
  });

  it("when Discord fails, then the next send requests the membership again", async () => {
    const access = check({ workspaces: ["north"] });
    failure = new DeliveryFailed("unavailable", "HTTP 502");
    await expect(access.maySee(alone, "ann")).rejects.toThrow("HTTP 502");
    failure = undefined;
    members.add("north/ann");
    expect(await access.maySee(alone, "ann")).toBe(true);
  });

  it("when very many accounts were checked, then the cache stays bounded and results stay correct", async () => {
    const access = check({ workspaces: ["north"] });
    members.add("north/ann");
    await access.maySee(alone, "ann");
    for (let n = 0; n < 10_000; n++) await access.maySee(alone, `other-${n}`);
    asked = [];
    expect(await access.maySee(alone, "ann")).toBe(true);
    expect(asked).toEqual(["north/ann"]);
    expect(await access.mayWrite(alone, "other-0")).toBe(false);
    expect(asked).toEqual(["north/ann", "north/other-0"]);
  });
});
