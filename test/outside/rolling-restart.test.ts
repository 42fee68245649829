import { readFileSync } from "node:fs";
import { join } from "node:path";
import { setTimeout as delay } from "node:timers/promises";
import { afterEach, beforeAll, describe, expect, it } from "vitest";
import { MAIN, requireFreshBuild } from "../e2e/mooring-process.ts";
import { FakeSlack } from "../fakes/slack/fake-slack.ts";
import type { WebClient } from "../fakes/web-client.ts";
import { projectRoot } from "../setup/project-files.ts";
import { buildOfVersion } from "./other-build.ts";
import { ProbingProxy } from "./probing-proxy.ts";
import { type Command, Product, type StartedProcess } from "./product.ts";

beforeAll(requireFreshBuild);
const { version } = JSON.parse(readFileSync(join(projectRoot, "package.json"), "utf8")) as { version: string };

/** The main file of an older build, which `npm run upgrade:try` makes; absent: this build as another version. */
const OLDER = process.env.MOORING_OLDER_BUILD;
const NEXT_VERSION = "999.0.0";
const ROUNDS = process.env.MOORING_SOAK ? 10 : 0;
const VISITORS = 8;
const SLACK_USERS = ["U0ANN", "U0BOB", "U0CAT"];
/** A visitor may send one message a second. */
const PAUSE_MS = 1_000;

let product: Product;
let slack: FakeSlack;
let proxy: ProbingProxy;
afterEach(async () => {
  await product.dispose();
  await proxy.close();
  await slack.stop();
});

/** People who wait for each answer before they write again, until they are stopped. */
class Load {
  readonly visitors: readonly WebClient[];
  /** The number of acknowledged messages by Slack user. */
  readonly accepted = new Map<string, number>();
  #isOver = false;
  readonly #people: Promise<unknown>;

  constructor() {
    this.visitors = Array.from({ length: VISITORS }, (_, nth) => product.client(`visitor-${nth}`, proxy.address));
    const visitors = this.visitors.map((visitor) => this.#visit(visitor));
    this.#people = Promise.all([...visitors, ...SLACK_USERS.map((user) => this.#writeInSlack(user))]);
    this.#people.catch(() => undefined);
  }

  async end(): Promise<void> {
    this.#isOver = true;
    await this.#people;
  }

  async #visit(visitor: WebClient): Promise<void> {
    for (; !this.#isOver; await delay(PAUSE_MS)) {
      await visitor.answerTo(visitor.say(`hello, message ${visitor.sent.length}`));
    }
  }

  async #writeInSlack(user: string): Promise<void> {
    const room = slack.world.directRoomOf(user);
    for (let count = 1; !this.#isOver; count++, await delay(PAUSE_MS)) {
      const said = { text: `hello, message ${count}`, user, ts: slack.world.nextTs() };
      // Slack redelivers refused events; the proxy counts the refusal.
      while ((await slack.say(said)).answer !== "acknowledged") await delay(PAUSE_MS);
      this.accepted.set(user, count);
      await slack.until((posted) => posted.filter((message) => message.room === room).length >= count);
    }
  }
}

const expectEverythingOnce = ({ visitors, accepted }: Load) => {
  for (const visitor of visitors) {
    const answered = visitor.replies().map(({ correlationId }) => correlationId);
    expect(answered).toEqual(visitor.sent);
    const said = visitor.log.filter(({ type }) => type === "said").map(({ id }) => id);
    expect(said).toHaveLength(visitor.sent.length);
    expect(new Set(said).size).toBe(said.length);
    expect(visitor.errors).toEqual([]);
  }
  for (const [user, count] of accepted) {
    const room = slack.world.directRoomOf(user);
    expect(slack.posted.filter((message) => message.room === room)).toHaveLength(count);
  }
};

describe("given two gateways and two cores on NATS behind a proxy that probes readiness, under load", () => {
  it(
    "when they are replaced by another version one after the other, then nothing is refused, lost or duplicated (F30, F31)",
    async () => {
      slack = await FakeSlack.start();
      for (const id of SLACK_USERS) if (!slack.world.users.has(id)) slack.world.addUser({ id, name: id });
      proxy = await ProbingProxy.start();
      slack.sendEventsTo(`${proxy.address}/channels/slack/events`);
      const { botToken, apiUrl, signingSecret } = slack;
      const channels = {
        web: { adapter: "web", allowedOrigins: [proxy.address] },
        slack: { adapter: "slack", botToken, apiUrl, signingSecret },
      };
      product = await Product.create({ backbone: "nats", config: { channels }, drainMs: 500 });
      const [older, newer] = OLDER ? [OLDER, MAIN] : [MAIN, await buildOfVersion(NEXT_VERSION, product.folder)];

      const launch = async (command: Command, main: string): Promise<StartedProcess> => {
        // 0.1.0 does not know drainMs.
        const undrained = (port: number) => ({ gateway: { host: "127.0.0.1", port } });
        const process = await product.start(command, main === OLDER ? undrained : {}, main);
        await process.ready();
        if (command === "gateway") proxy.add(process.address);
        if (command === "gateway") await proxy.takesIn(process.address);
        return process;
      };
      const roles: readonly Command[] = ["core", "core", "gateway", "gateway"];
      const processes = await Promise.all(roles.map((command) => launch(command, older)));
      const load = new Load();
      await load.visitors[0]?.until(() => load.visitors.every((visitor) => visitor.replies().length >= 2), "load");

      const restarts = Array.from({ length: ROUNDS }, () => older);
      for (const main of [...restarts, newer]) {
        for (const [nth, command] of roles.entries()) {
          const old = processes[nth] as StartedProcess;
          expect(await old.end(), old.stderr()).toEqual({ code: 0, signal: null });
          processes[nth] = await launch(command, main);
        }
      }
      const versions = processes.map(({ stdout }) => /Mooring (\S+) is running/.exec(stdout())?.[1]);
      expect(versions).toEqual(roles.map(() => (OLDER ? version : NEXT_VERSION)));
      await load.end();

      expectEverythingOnce(load);
      // Without draining, a gateway that stops refuses requests, and clients retry them.
      if (OLDER) return;
      expect(proxy.refusals).toEqual([]);
      const codes = new Set(load.visitors.flatMap(({ closeCodes }) => closeCodes));
      expect([...codes]).toEqual([1012]);
      const longestMs = Math.max(...load.visitors.flatMap(({ resumedAfterMs }) => resumedAfterMs));
      expect(longestMs).toBeLessThan(2_000);
    },
    120_000 * (ROUNDS + 1),
  );
});
