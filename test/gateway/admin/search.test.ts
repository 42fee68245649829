import { afterEach, beforeEach, describe, expect, it } from "vitest";
import { systemClock } from "../../../core/contract/ports/clock.ts";
import { AdminRig, acmeAdmin } from "./admin-rig.ts";
import { RunningAgent } from "./running-agent.ts";

let rig: AdminRig;
let agent: RunningAgent;
/** The summary of a message has its first 80 characters. */
const LONG = `${"When is the next ferry to the island, and is there room for a car and two bikes? ".repeat(2)}My number is walrus-77.`;

beforeEach(async () => {
  rig = await AdminRig.open(systemClock);
  agent = await RunningAgent.start(rig.backbone, () => "At noon.");
  await agent.say("message-abc", LONG);
  await agent.finals(1);
});
afterEach(async () => {
  await agent.stop();
  await rig.close();
});

const search = async (q: string, headers?: Record<string, string>) =>
  (await rig.call("GET", `search?q=${encodeURIComponent(q)}`, undefined, headers)).body;
const words = (body: object, headers?: Record<string, string>) => rig.call("POST", "search/words", body, headers);
const REASON = "a legal request";

describe("given a person, a session and a message", () => {
  it("when an operator searches by name, account, id or summary, then all three are found", async () => {
    const { sessions, messages, people } = await search("ann");
    expect(people).toMatchObject([{ accounts: [{ channel: "web", accountId: "ann", name: "Ann" }] }]);
    expect(sessions).toMatchObject([{ asker: { name: "Ann" }, agent: "mooring" }]);
    expect((await search("FERRY next")).messages).toHaveLength(1);
    expect((await search("message-abc")).messages).toEqual(messages.length === 0 ? [expect.anything()] : messages);
    const [{ sessionId, turnId }] = (await search("message-abc")).messages;
    expect((await search(sessionId)).sessions).toHaveLength(1);
    expect((await search(`${turnId}/final`)).messages).toHaveLength(1);
    expect(await search("no-such-thing")).toEqual({ people: [], sessions: [], messages: [], isCut: false });
  });

  it("when words are behind the summary, then only a search with a reason finds the session, and no word is shown (R4)", async () => {
    expect(await search("walrus-77")).toMatchObject({ sessions: [], messages: [] });
    expect((await words({ words: "walrus-77" })).status).toBe(400);
    const { body } = await words({ words: "Walrus-77 car", reason: REASON });
    expect(body).toMatchObject({ sessions: [{ agent: "mooring" }], searched: 1, isCut: false });
    expect(JSON.stringify(body)).not.toContain("walrus");
    expect((await words({ words: "walrus-78", reason: REASON })).body.sessions).toEqual([]);
    const { items } = (await rig.call("GET", "audit")).body;
    expect(items[0]).toMatchObject({ action: "POST /admin/api/search/words", detail: { reason: REASON } });
    expect(JSON.stringify(items)).not.toMatch(/walrus/i);
  });

  it("when the operator of another tenant searches, then nothing is found", async () => {
    expect(await search("ann", acmeAdmin)).toEqual({ people: [], sessions: [], messages: [], isCut: false });
    expect((await words({ words: "walrus-77", reason: REASON }, acmeAdmin)).body).toMatchObject({
      sessions: [],
      searched: 0,
    });
    const named = await rig.call("GET", "search?q=ann&agent=mooring", undefined, acmeAdmin);
    expect(named.status).toBe(404);
  });

  it.each(["", "a", "%20%20", "x".repeat(201)])("when the query is %j, then it is refused", async (q) => {
    expect((await rig.call("GET", `search?q=${q}`)).status).toBe(400);
  });
});
