import { readFile } from "node:fs/promises";
import { join } from "node:path";
import type { Browser } from "playwright-core";
import { afterEach, beforeAll, describe, expect, it } from "vitest";
import { NatsServer } from "../fakes/nats-server.ts";
import { WebClient } from "../fakes/web-client.ts";
import { axeProblems } from "../setup/axe-problems.ts";
import { launchChromium } from "../setup/launch-chromium.ts";
import { ConsoleRig, PLATFORM_TOKEN } from "./console-rig.ts";
import { ConsoleTab } from "./console-tab.ts";
import { Deployment, plainConfig } from "./deployment.ts";
import { requireFreshBuild } from "./mooring-process.ts";

beforeAll(requireFreshBuild);

const undo: (() => Promise<unknown>)[] = [];
afterEach(async () => {
  for (const step of undo.splice(0).toReversed()) await step();
});

/** The texts that a visitor sees from the other side. */
const shownTo = (client: WebClient): string[] =>
  client.log.flatMap(({ type, markdown = "" }) => (type === "reply" && markdown !== "" ? [markdown] : []));

const until = (client: WebClient, words: string) =>
  expect.poll(() => shownTo(client).join("\n"), { timeout: 30_000 }).toContain(words);

interface Operator {
  readonly url: string;
  readonly token: string;
}

const call = async ({ url, token }: Operator, method: "GET" | "POST", path: string, body?: object) => {
  const response = await fetch(`${url}/admin/api/${path}`, {
    method,
    headers: { authorization: `Bearer ${token}`, "content-type": "application/json" },
    ...(body && { body: JSON.stringify(body) }),
  });
  return { status: response.status, body: (await response.json()) as ReturnType<typeof JSON.parse> };
};

/** Takes over the only session, as a script does, and returns functions for the rest. */
const takeOver = async (operator: () => Operator, agent: string) => {
  const sessions = async () => (await call(operator(), "GET", `sessions?agent=${agent}`)).body.items;
  await expect.poll(async () => (await sessions()).length).toBe(1);
  const [{ sessionId }] = await sessions();
  const post = (rest: string, body: object) =>
    call(operator(), "POST", `sessions/${sessionId}/${rest}`, { agent, ...body });
  const started = await post("takeover", { name: "Ann", reason: "asked for a human", minutes: 10 });
  expect(started.status).toBe(200);
  return {
    answer: (id: string, text: string) => post("takeover/answer", { id, text }),
    end: () => post("takeover/end", {}),
    transcript: async () => (await call(operator(), "GET", `sessions/${sessionId}/transcript?agent=${agent}`)).body,
  };
};

describe("given a person who needs a human", () => {
  it("when an operator takes over in the console, then they answer by name, the agent pauses, and both see it (R4)", async () => {
    const browser: Browser = await launchChromium();
    undo.push(() => browser.close());
    const rig = await ConsoleRig.start();
    undo.push(() => rig.stop());
    const visitor = rig.visitor();
    await visitor.answerTo(visitor.say("my secret order number"));
    const troubles: string[] = [];
    const tab = await ConsoleTab.open(browser, rig.url, { troubles });
    await tab.goto("/sessions");
    await tab.signIn(PLATFORM_TOKEN);
    await tab.page.getByRole("list", { name: "Sessions" }).getByRole("link").first().click();
    await tab.page.getByRole("link", { name: "Transcript and takeover" }).click();
    await tab.page.getByText("This conversation is private").waitFor();
    expect(await tab.page.locator("main").textContent()).not.toContain("You said:");
    const take = tab.page.getByRole("button", { name: "Take over" });
    expect(await take.isDisabled()).toBe(true);
    await tab.page.getByLabel("Reason").fill("The person asked for help");
    expect(await take.isDisabled()).toBe(true);
    await tab.page.getByLabel("Your name").fill("Ann");
    expect(await axeProblems(tab.page)).toEqual([]);
    await take.click();
    await tab.page.getByText("Taken over by").waitFor();
    await tab.page.getByText("You said: my secret order number").waitFor();
    await until(visitor, "Ann, an operator of this service, answers here now");

    visitor.say("are you there?");
    await tab.page.locator(".said.person", { hasText: "are you there?" }).waitFor();
    await tab.page.getByLabel("Your answer").fill("Yes, I am.");
    await tab.page.getByRole("button", { name: "Send" }).click();
    await until(visitor, "**Ann:** Yes, I am.");
    const own = tab.page.locator(".said.operator", { hasText: "Yes, I am." });
    await own.waitFor();
    expect(await own.textContent()).toMatch(/^Operator Ann · [\d:]+Yes, I am\.$/);
    expect(shownTo(visitor).join("\n")).not.toContain("You said: are you there?");
    await tab.page.emulateMedia({ colorScheme: "dark" });
    expect(await axeProblems(tab.page, "color-contrast")).toEqual([]);

    await tab.page.getByRole("button", { name: /^End the takeover/ }).click();
    await until(visitor, "mooring answers again");
    await visitor.answerTo(visitor.say("back to work"));
    await until(visitor, "You said: back to work");
    await tab.show("Audit log");
    for (const action of ["Take a conversation over", "Read a transcript", "Answer as an operator", "End a takeover"])
      await tab.row(action).first().waitFor();
    expect(await tab.page.locator("main").textContent()).not.toContain("secret order");
    await expect.poll(() => tab.row("Take a conversation over").textContent()).toContain("The person asked for help");
    expect(troubles).toEqual([]);
  });
});

describe("given two gateways and a core on NATS", () => {
  it("when an operator takes over at one gateway, then the agent pauses for a person at the other one (R4)", async () => {
    const nats = await NatsServer.start();
    undo.push(() => nats.stop());
    const rig = await ConsoleRig.start(nats.url);
    undo.push(() => rig.stop());
    const visitor = rig.visitor();
    await visitor.answerTo(visitor.say("hello"));
    const { answer, end, transcript } = await takeOver(
      () => ({ url: rig.urls[1] ?? "", token: PLATFORM_TOKEN }),
      "mooring",
    );
    await until(visitor, "Ann, an operator");
    visitor.say("still there?");
    await expect.poll(transcript).toMatchObject({ entries: { length: 3 } });
    await answer("answer-0001", "Of course.");
    await until(visitor, "**Ann:** Of course.");
    await end();
    await until(visitor, "mooring answers again");
    expect(shownTo(visitor).join("\n")).not.toContain("You said: still there?");
  });
});

describe("given a takeover", () => {
  it("when the process is killed, then it lasts after the restart, and its end is still announced (R4)", async () => {
    const deployment = await Deployment.create(plainConfig());
    undo.push(() => deployment.dispose());
    const first = deployment.run("start");
    let url = await first.running;
    const token = (await readFile(join(deployment.folder, "data/admin-token"), "utf8")).trim();
    const visitor = deployment.with(new WebClient("visitor", () => url));
    await visitor.answerTo(visitor.say("hello"));
    const { answer, end, transcript } = await takeOver(() => ({ url, token }), "mooring");
    first.kill("SIGKILL");
    await first.exited;
    const second = deployment.run("start");
    url = await second.running;
    await until(visitor, "Ann, an operator");
    visitor.say("what is 6 * 7?");
    await expect.poll(async () => JSON.stringify(await transcript())).toContain("6 * 7");
    expect((await answer("answer-0001", "Forty-two.")).status).toBe(200);
    await until(visitor, "**Ann:** Forty-two.");
    expect((await end()).status).toBe(200);
    second.kill("SIGKILL");
    await second.exited;
    url = await deployment.run("start").running;
    await until(visitor, "mooring answers again");
    expect((await visitor.answerTo(visitor.say("what is 6 * 8?"))).markdown).toContain("48");
    expect(shownTo(visitor).filter((text) => text.includes("answers again"))).toHaveLength(1);
    expect(shownTo(visitor).join("\n")).not.toContain("42");
  });
});
