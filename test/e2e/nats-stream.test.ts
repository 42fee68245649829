import { afterEach, beforeAll, describe, expect, it } from "vitest";
import type { WebClient } from "../fakes/web-client.ts";
import { expectAccounts } from "./expect-accounts.ts";
import { requireFreshBuild } from "./mooring-process.ts";
import { NatsDeployment } from "./nats-deployment.ts";

beforeAll(requireFreshBuild);

let deployment: NatsDeployment;
let client: WebClient;
afterEach(() => deployment.dispose());

const WORDS = Array.from({ length: 30 }, (_, index) => `w${index + 1}`).join(" ");

/** Deploys the product and waits until an answer streams. */
const midStream = async (): Promise<{ id: string }> => {
  deployment = await NatsDeployment.start({ gateways: 2, cores: 2, pauseMs: 40 });
  client = deployment.client("c");
  await client.answerTo(client.say("hello"));
  client.deltas.length = 0;
  const id = client.say(WORDS);
  await client.until(() => client.deltas.length >= 3, "text deltas");
  return { id };
};

const expectWholeAnswer = async (id: string): Promise<void> => {
  expect((await client.answerTo(id)).markdown).toContain(WORDS);
  await client.answerTo(client.say("still there?"));
  expectAccounts(client);
};

describe("given an answer that streams", () => {
  it("when the client is disconnected, then it reconnects and gets the complete answer, once (C5)", async () => {
    const { id } = await midStream();
    client.cut();
    await expectWholeAnswer(id);
  });

  it("when the client's gateway is killed, then another one delivers the complete answer, once (C5)", async () => {
    const { id } = await midStream();
    const used = deployment.gateways.map(({ process }) => process);
    await Promise.all(used.map((process) => deployment.kill(process)));
    deployment.gateways.length = 0;
    await deployment.addGateway();
    await expectWholeAnswer(id);
  });

  it("when the cores are killed, then a new core gives the complete answer, once", async () => {
    const { id } = await midStream();
    await Promise.all(deployment.cores.map((core) => deployment.kill(core)));
    await deployment.addCore();
    await expectWholeAnswer(id);
  });

  it("when nats-server is killed and restarted, then the complete answer arrives, once", async () => {
    const { id } = await midStream();
    await deployment.nats.kill();
    await deployment.nats.restart();
    await expectWholeAnswer(id);
  });
});

describe("given a nats-server that stays down", () => {
  it("when a visitor writes, then they get an error, and a retry is accepted once it is back (F3)", async () => {
    deployment = await NatsDeployment.start({ gateways: 1, cores: 1, pauseMs: 1 });
    client = deployment.client("c");
    await client.answerTo(client.say("hello"));
    await deployment.nats.kill();
    const id = client.say("anybody there?");
    const refusal = () => client.errors.find((error) => error.id === id);
    await client.until(() => refusal() !== undefined, "a refusal of the message");
    expect(refusal()).toMatchObject({ code: "unavailable" });
    expect(client.accepted).not.toContain(id);
    await deployment.nats.restart();
    await client.answerTo(id);
    // The connection sends what it could not confirm, so the answer can arrive before the retry is accepted.
    await client.until(() => client.accepted.includes(id), "the acceptance of the retry");
    expectAccounts(client);
  });
});
