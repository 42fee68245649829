import { afterEach, beforeAll, describe, expect, it } from "vitest";
import { WebClient } from "../fakes/web-client.ts";
import { Deployment, plainConfig } from "./deployment.ts";
import { expectAccounts } from "./expect-accounts.ts";
import { requireFreshBuild } from "./mooring-process.ts";

const CLIENTS = 20;
const MESSAGES = 30;

beforeAll(requireFreshBuild);

let deployment: Deployment;
let address: string;
let clients: WebClient[];
afterEach(() => deployment.dispose());

const startUnderLoad = async () => {
  deployment = await Deployment.create(
    plainConfig({
      agents: [{ name: "mooring", model: { provider: "demo", pauseMs: 1 } }],
      channels: { web: { adapter: "web", limits: { messagesPerSecond: 1_000, messageBurst: 1_000 } } },
    }),
  );
  const mooring = deployment.run("start");
  address = await mooring.running;
  clients = Array.from({ length: CLIENTS }, (_, index) => deployment.with(new WebClient(`c${index}`, () => address)));
  for (const client of clients) for (let n = 1; n <= MESSAGES; n++) client.say(`message ${n}`);
  await Promise.race(clients.map((client) => client.until(() => client.replies().length >= 3, "some answers")));
  return mooring;
};

const expectAllAnsweredAfterRestart = async () => {
  address = await deployment.run("start").running;
  await Promise.all(clients.map((client) => client.answerTo(client.sent.at(-1) ?? "")));
  for (const client of clients) expectAccounts(client);
};

describe("given one process on the embedded backbone, under load", () => {
  it("when it gets SIGTERM, then it exits with 0, clients are asked to reconnect, and nothing is lost (F30)", async () => {
    const mooring = await startUnderLoad();
    mooring.kill("SIGTERM");
    expect(await mooring.exited).toEqual({ code: 0, signal: null });
    expect(mooring.stdout()).toContain("Stopped.");
    expect(new Set(clients.map(({ closeCodes }) => closeCodes[0]))).toEqual(new Set([1012]));
    await expectAllAnsweredAfterRestart();
  });

  it("when it is killed, then every accepted message is answered after a restart, once and in order", async () => {
    const mooring = await startUnderLoad();
    mooring.kill("SIGKILL");
    await mooring.exited;
    await expectAllAnsweredAfterRestart();
  });
});
