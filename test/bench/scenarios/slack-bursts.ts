import { setTimeout as pause } from "node:timers/promises";
import { FakeSlack } from "../../fakes/slack/fake-slack.ts";
import type { PostingCrowd } from "../posting-crowd.ts";
import type { Scenario } from "../scenario.ts";
import { eachBackbone } from "../servers/each-backbone.ts";
import { ServerProcess } from "../servers/server-process.ts";
import { slackCrowd } from "../slack-crowd.ts";

const IN_FLIGHT = 32;
const BURST_MS = 2_000;
const REST_MS = 6_000;
const BURSTS_A_ROUND = 2;
/** A slower answer counts with this time. */
const LOST_AFTER_MS = 60_000;

/** Calls back when the bot posts in a room. */
class Answers {
  readonly #waiting = new Map<string, () => void>();

  constructor(slack: FakeSlack) {
    slack.faultIn = (method, args) => {
      if (method === "chat.postMessage") this.#waiting.get(String(args.channel))?.();
      return undefined;
    };
  }

  in(room: string): Promise<void> {
    return new Promise((resolve) => this.#waiting.set(room, resolve));
  }
}

/** Each person writes, waits until the answer is posted, and writes again, until the burst is over. */
const burst = async (crowd: PostingCrowd, slack: FakeSlack, answers: Answers): Promise<number[]> => {
  const times: number[] = [];
  const until = performance.now() + BURST_MS;
  const lane = async (_: unknown, person: number): Promise<void> => {
    while (performance.now() < until) {
      const begun = performance.now();
      const answered = answers.in(slack.world.directRoomOf(`U0${person}`));
      await crowd.send(person);
      const late = new AbortController();
      await Promise.race([answered, pause(LOST_AFTER_MS, undefined, late).catch(() => undefined)]);
      late.abort();
      times.push(performance.now() - begun);
    }
  };
  await Promise.all(Array.from({ length: IN_FLIGHT }, lane));
  slack.world.messages.length = 0;
  return times;
};

/**
 * From an event to the posted answer, in bursts with rests between them: a queue that stalls after a rest shows only in
 * the slowest message. The product stores every event and answer; the floor is a bare Bolt app.
 */
export const slackBursts: Scenario = {
  name: "Slack bursts",
  aim: "slowest < 3 s",
  long: true,
  async *prepare() {
    for await (const { on, start } of eachBackbone()) {
      const slack = await FakeSlack.start();
      const { apiUrl, botToken, signingSecret, world } = slack;
      const answers = new Answers(slack);
      const channel = { adapter: "slack", botToken, signingSecret, apiUrl };
      const product = await start("product", `--slack=${JSON.stringify(channel)}`);
      const floor = await ServerProcess.start("bolt", apiUrl, botToken, signingSecret, "answering");
      const onProduct = slackCrowd(world, `http://127.0.0.1:${product.port}/channels/slack/events`, signingSecret);
      const onFloor = slackCrowd(world, `http://127.0.0.1:${floor.port}/slack/events`, signingSecret);
      yield {
        name: `Slack bursts of ${BURST_MS / 1_000} s, ${REST_MS / 1_000} s of rest, ${IN_FLIGHT} at once: event → answer (${on})`,
        unit: "ms" as const,
        cpu: (side: "product" | "floor") => (side === "product" ? product : floor).ask("cpu"),
        product: async () => {
          const times: number[] = [];
          for (let n = 0; n < BURSTS_A_ROUND; n++) {
            times.push(...(await burst(onProduct, slack, answers)));
            await pause(REST_MS);
          }
          return times;
        },
        floor: () => burst(onFloor, slack, answers),
      };
      onProduct.leave();
      onFloor.leave();
      await floor.stop();
      await slack.stop();
    }
  },
};
