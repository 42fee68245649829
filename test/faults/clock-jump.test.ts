import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { Deployment, plainConfig } from "../e2e/deployment.ts";
import { expectAccounts } from "../e2e/expect-accounts.ts";
import { type MooringProcess, requireFreshBuild } from "../e2e/mooring-process.ts";
import { FakeSlack } from "../fakes/slack/fake-slack.ts";
import { WebClient } from "../fakes/web-client.ts";

/** Each signal shifts the wall clock of the process: two hours ahead, two hours back, correct again. */
const JUMPING = `
  const real = Date.now;
  const skews = [0, 2, -2];
  let at = 0;
  Date.now = () => real() + skews[at % 3] * 3600000;
  process.on("SIGUSR2", () => at++);
`;

describe("given a machine whose clock jumps while the product runs (F14)", () => {
  let slack: FakeSlack;
  let deployment: Deployment;
  let mooring: MooringProcess;
  let client: WebClient;
  beforeAll(async () => {
    await requireFreshBuild();
    slack = await FakeSlack.start();
    const { botToken, apiUrl, signingSecret } = slack;
    const channels = { web: { adapter: "web" }, slack: { adapter: "slack", botToken, apiUrl, signingSecret } };
    deployment = await Deployment.create(plainConfig({ channels }));
    const nodeArgs = ["--import", `data:text/javascript,${encodeURIComponent(JUMPING)}`];
    mooring = deployment.run("start", [], { nodeArgs });
    const address = await mooring.running;
    slack.sendEventsTo(`${address}/channels/slack/events`);
    client = deployment.with(new WebClient("visitor", () => address));
  });
  afterAll(async () => {
    await deployment?.dispose();
    await slack?.stop();
  });

  const talk = async (text: string) => client.answerTo(client.say(text));
  /** Repeats the same idempotent message until Slack gets this response. */
  const until = async (answer: "acknowledged" | "refused"): Promise<void> => {
    while ((await slack.say(first)).answer !== answer);
  };
  let first: { text: string; ts: string };

  it("when it jumps ahead and back by hours, then people are answered once and in order, and signatures fail closed", async () => {
    first = { text: "one", ts: slack.world.nextTs() };
    await until("acknowledged");
    await slack.until((posted) => posted.length >= 1);
    await talk("in time");
    for (const when of ["two hours early", "two hours late"]) {
      mooring.kill("SIGUSR2");
      await until("refused");
      await talk(when);
      client.cut();
      await talk(`${when}, and back`);
    }
    mooring.kill("SIGUSR2");
    await until("acknowledged");
    await talk("in time again");
    await slack.say({ text: "two" });
    await slack.until((posted) => posted.length >= 2);
    expect(slack.posted.map(({ text }) => text)).toEqual([
      expect.stringContaining("one"),
      expect.stringContaining("two"),
    ]);
    expectAccounts(client);
  });
});
