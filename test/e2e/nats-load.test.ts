import { afterEach, beforeAll, describe, expect, it } from "vitest";
import type { WebClient } from "../fakes/web-client.ts";
import { expectAccounts } from "./expect-accounts.ts";
import { requireFreshBuild } from "./mooring-process.ts";
import { NatsDeployment } from "./nats-deployment.ts";

const CLIENTS = 20;
const MESSAGES = 15;

beforeAll(requireFreshBuild);

let deployment: NatsDeployment;
afterEach(() => deployment.dispose());

const first = <T>(items: readonly T[]): T => {
  const [item] = items;
  if (item === undefined) throw new Error("there is none");
  return item;
};

const load = (): WebClient[] => {
  const clients = Array.from({ length: CLIENTS }, (_, index) => deployment.client(`c${index}`));
  for (const client of clients) for (let n = 1; n <= MESSAGES; n++) client.say(`message ${n}`);
  return clients;
};

const answered = (clients: readonly WebClient[]): number =>
  clients.reduce((sum, client) => sum + client.replies().length, 0);

/** A client checks the condition after each of its own frames, so the condition of all is given to each of them. */
const untilAnswered = (clients: readonly WebClient[], count: number): Promise<unknown> =>
  Promise.race(clients.map((client) => client.until(() => answered(clients) >= count, `${count} answers in all`)));

describe("given two gateways and two cores on NATS, under load", () => {
  it("when one of each is killed, then every message is answered once and in order (D4, D5)", async () => {
    deployment = await NatsDeployment.start({ gateways: 2, cores: 2, pauseMs: 1 });
    const clients = load();
    await untilAnswered(clients, 30);
    await deployment.kill(first(deployment.gateways).process);
    await untilAnswered(clients, 60);
    await deployment.kill(first(deployment.cores));
    await Promise.all(clients.map((client) => client.answerTo(client.sent.at(-1) ?? "")));
    for (const client of clients) expectAccounts(client);
    expect(clients.some(({ closeCodes }) => closeCodes.length > 0)).toBe(true);
  });

  it("when each is stopped in turn and replaced, then nothing is lost and all exit with 0 (F30)", async () => {
    deployment = await NatsDeployment.start({ gateways: 2, cores: 2, pauseMs: 1 });
    const clients = load();
    const [gateway, core] = [first(deployment.gateways), first(deployment.cores)];
    await untilAnswered(clients, 30);
    core.kill("SIGTERM");
    expect(await core.exited).toEqual({ code: 0, signal: null });
    await deployment.addGateway();
    gateway.process.kill("SIGTERM");
    expect(await gateway.process.exited).toEqual({ code: 0, signal: null });
    await Promise.all(clients.map((client) => client.answerTo(client.sent.at(-1) ?? "")));
    for (const client of clients) expectAccounts(client);
    expect(clients.flatMap(({ closeCodes }) => closeCodes).filter((code) => code === 1012).length).toBeGreaterThan(0);
  });
});
