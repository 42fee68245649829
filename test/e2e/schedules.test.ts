import { afterEach, beforeAll, describe, expect, it } from "vitest";
import { NatsServer } from "../fakes/nats-server.ts";
import { WebClient } from "../fakes/web-client.ts";
import { Deployment, plainConfig } from "./deployment.ts";
import { linkAccounts } from "./link-accounts.ts";
import { type MooringProcess, requireFreshBuild } from "./mooring-process.ts";

beforeAll(requireFreshBuild);

const undo: (() => Promise<void>)[] = [];
afterEach(async () => {
  for (const step of undo.splice(0).reverse()) await step();
});

/** The product with two channels: one process, or gateway and core on a real nats-server. */
const start = async (backbone: "embedded" | "nats") => {
  const nats = backbone === "nats" ? await NatsServer.start() : undefined;
  if (nats) undo.push(() => nats.stop());
  const deployment = await Deployment.create(
    plainConfig({
      backbone: nats ? { nats: { servers: [nats.url], leaseMs: 1_000, partitions: 4 } } : "embedded",
      channels: { web: { adapter: "web" }, "web-b": { adapter: "web" } },
    }),
  );
  undo.push(() => deployment.dispose());
  let parts: MooringProcess[] = [];
  let address = "";
  const run = async () => {
    const gateway = deployment.run(nats ? "gateway" : "start");
    parts = [gateway, ...(nats ? [deployment.run("core")] : [])];
    [address = ""] = await Promise.all(parts.map(({ running }) => running));
  };
  await run();
  return {
    client: (name: string, channel: string) => deployment.with(new WebClient(name, () => address, channel)),
    async restart() {
      for (const part of parts) part.kill("SIGKILL");
      await Promise.all(parts.map(({ exited }) => exited));
      await run();
    },
  };
};

describe.each(["embedded", "nats"] as const)("given a person on two channels, on %s", (backbone) => {
  it("when a schedule created on one fires while only the other is open, then it is shown there once, with an anchor (O5, O8, P1)", async () => {
    const { client, restart } = await start(backbone);
    const [web, other] = [client("ann", "web"), client("ann-b", "web-b")];
    await linkAccounts(web, other);
    const made = await web.answerTo(web.say("in 5 seconds tell me to stretch"));
    expect(made.markdown).toMatch(/Scheduled as schedule-[0-9a-f]{8}: "tell me to stretch", once, on /);
    web.close();
    await restart();
    const unsolicited = () =>
      other.replies().filter(({ kind, correlationId }) => kind === "final" && correlationId === undefined);
    await other.until(() => unsolicited().length > 0, "the schedule's answer in the other channel");
    await other.answerTo(other.say("hello"));
    expect(unsolicited()).toMatchObject([{ anchor: { channel: "scheduled", summary: "tell me to stretch" } }]);
  });
});
