import { afterEach, beforeEach, describe, expect, it } from "vitest";
import { systemClock } from "../../../core/contract/ports/clock.ts";
import { silentLogger as logger } from "../../../core/contract/ports/logger.ts";
import { allTakeovers } from "../../../core/sessions/takeover/index.ts";
import { concludeTakeover, TakeoverKeeper } from "../../../gateway/takeovers/index.ts";
import { SkewedClock } from "../../fakes/skewed-clock.ts";
import { AdminRig, acmeAdmin } from "./admin-rig.ts";
import { RunningAgent } from "./running-agent.ts";

let rig: AdminRig;
let agent: RunningAgent;
let sessionId: string;
const prompts: string[] = [];

beforeEach(async () => {
  prompts.length = 0;
  rig = await AdminRig.open(systemClock);
  agent = await RunningAgent.start(rig.backbone, (request) => {
    prompts.push(JSON.stringify(request.messages));
    return "The agent answers.";
  });
  await agent.say("m-1", "my private words");
  await agent.finals(1);
  sessionId = (await rig.call("GET", "sessions")).body.items[0].sessionId;
});
afterEach(async () => {
  await agent.stop();
  await rig.close();
});

const path = (rest: string) => `sessions/${sessionId}/${rest}`;
const post = (rest: string, body: object, headers?: Record<string, string>) =>
  rig.call("POST", path(rest), { agent: "mooring", ...body }, headers);
const transcript = (headers?: Record<string, string>) =>
  rig.call("GET", path("transcript?agent=mooring"), undefined, headers);
const REASON = { reason: "the person asked for help", minutes: 5 };
const TAKE = { ...REASON, name: "Ann *Support*" };
const ANSWER = { id: "answer-0001", text: "I am here to help." };
const keeper = (clock = systemClock) => new TakeoverKeeper({ ...rig.backbone, clock, logger });
const shown = (count: number) =>
  agent.channel.deliveries.until((all) => all.filter(({ reply }) => reply.markdown !== "").length >= count);
const texts = async (count: number) =>
  (await shown(count)).map(({ reply }) => reply.markdown).filter((shownText) => shownText !== "");

describe("given a conversation with private words", () => {
  it("when an operator reads it without a reason, then no word is shown; with a reason, the audit log has it (R4)", async () => {
    const refused = await transcript();
    expect(refused.status).toBe(403);
    expect(JSON.stringify(refused.body)).not.toContain("private");
    for (const body of [{}, { reason: "hm" }, { ...REASON, minutes: 500 }])
      expect((await post("break-glass", body)).status).toBe(400);
    expect((await post("break-glass", REASON)).status).toBe(200);
    for (const _ of [1, 2]) {
      expect((await transcript()).body.entries).toMatchObject([
        { from: "person", text: "my private words" },
        { from: "agent", text: "The agent answers." },
      ]);
    }
    const { items } = (await rig.call("GET", "audit")).body;
    const actions = items.map(({ action }: { action: string }) => action.split("/").at(-1));
    expect(actions.filter((action: string) => action === "transcript")).toHaveLength(1);
    expect(items).toContainEqual(
      expect.objectContaining({ detail: expect.objectContaining({ reason: REASON.reason }) }),
    );
    expect(JSON.stringify(items)).not.toContain("private");
  });

  it("when the operator of another tenant tries, then there is no such agent", async () => {
    expect((await post("break-glass", REASON, acmeAdmin)).status).toBe(404);
    expect((await post("takeover", TAKE, acmeAdmin)).status).toBe(404);
    expect((await transcript(acmeAdmin)).status).toBe(404);
    expect((await rig.call("GET", "takeovers", undefined, acmeAdmin)).body).toEqual({ items: [] });
  });

  it("when an operator takes it over, then the person is notified, the agent pauses, and the operator answers by name (R4)", async () => {
    expect((await post("takeover", TAKE)).body).toMatchObject({ operator: "Ann *Support*", isOwn: true });
    const { items } = (await rig.call("GET", "audit")).body;
    expect(items[0], "stored before the takeover began").toMatchObject({
      detail: { reason: REASON.reason, minutes: 5 },
    });
    expect((await texts(2))[1]).toMatch(/^Ann \\\*Support\\\*, an operator of this service, answers here now/);
    await agent.say("m-2", "are you a human?");
    const said = async () => (await transcript()).body.entries.at(-1);
    await expect.poll(said).toMatchObject({ from: "person", text: "are you a human?" });
    expect(prompts).toHaveLength(1);
    for (const _ of [1, 2]) expect((await post("takeover/answer", ANSWER)).status).toBe(200);
    expect((await texts(3))[2]).toBe("**Ann \\*Support\\*:** I am here to help.");
    await expect
      .poll(async () => (await transcript()).body.entries.slice(2))
      .toMatchObject([
        { from: "person", text: "are you a human?" },
        { from: "operator", text: "**Ann \\*Support\\*:** I am here to help." },
      ]);

    expect((await post("takeover/end", {})).status).toBe(200);
    expect((await post("takeover/answer", ANSWER)).status).toBe(409);
    expect((await texts(4))[3]).toBe("Ann \\*Support\\* no longer answers here. mooring answers again.");
    await keeper().check();
    await agent.say("m-3", "and now?");
    expect((await texts(5))[4]).toBe("The agent answers.");
    expect(prompts[1]).toContain("are you a human?");
    expect(prompts[1]).toContain("I am here to help.");
    expect((await rig.call("GET", "takeovers")).body).toEqual({ items: [] });
  });

  it("when its time is over, then it ends by itself, and the person is notified once (R4)", async () => {
    await post("takeover", TAKE);
    await texts(2);
    const later = new SkewedClock();
    later.skip(6 * 60_000);
    await Promise.all([keeper(later).check(), keeper(later).check()]);
    expect((await texts(3))[2]).toContain("mooring answers again");
    await agent.say("m-2", "hello");
    expect(await agent.finals(2)).toContain("The agent answers.");
    expect((await texts(4)).filter((each) => each.includes("answers again"))).toHaveLength(1);
  });

  it("when it lasts, then the next check is at its end, and no later than in a minute", async () => {
    expect(await keeper().check()).toBe(60_000);
    await post("takeover", { ...TAKE, minutes: 1 });
    const later = new SkewedClock();
    later.skip(40_000);
    const nextMs = await keeper(later).check();
    expect(nextMs).toBeGreaterThan(0);
    expect(nextMs).toBeLessThanOrEqual(20_000);
  });

  it("when the process ends before the person is notified, then the next check notifies them", async () => {
    const { publish } = rig.backbone.bus;
    Object.assign(rig.backbone.bus, { publish: () => Promise.reject(new Error("the process ends here")) });
    expect((await post("takeover", TAKE)).status).toBe(500);
    Object.assign(rig.backbone.bus, { publish });
    await keeper().check();
    expect((await texts(2))[1]).toContain("answers here now");
    await keeper().check();
    expect(await texts(2)).toHaveLength(2);
  });

  it("when another operator takes over before an expired takeover is concluded, then no notice says that the agent is back (R4)", async () => {
    expect((await post("takeover", TAKE)).status).toBe(200);
    for await (const { value } of rig.backbone.store.list(allTakeovers()))
      await concludeTakeover({ ...rig.backbone, clock: systemClock }, { ...value, id: "earlier" });
    expect((await post("takeover/answer", ANSWER)).status).toBe(200);
    expect(await texts(3)).toEqual([
      "The agent answers.",
      expect.stringContaining("Ann"),
      expect.stringContaining(ANSWER.text),
    ]);
  });

  it("when another operator has it, then a second takeover is refused with their name, and only the first one answers", async () => {
    await post("takeover", TAKE);
    const second = await post("takeover", { ...TAKE, name: "Bob" });
    expect([second.status, second.body.error.message]).toEqual([409, expect.stringContaining("Ann")]);
    expect((await rig.call("GET", "takeovers")).body.items).toMatchObject([{ operator: "Ann *Support*" }]);
  });

  it.each([{ ...ANSWER, text: " " }, { ...ANSWER, id: "x" }, { ...ANSWER, id: "a/b-a/b-a/b" }, {}])(
    "when an answer is wrong, then it is refused (case %#)",
    async (body) => {
      await post("takeover", TAKE);
      expect((await post("takeover/answer", body)).status).toBe(400);
    },
  );
});
