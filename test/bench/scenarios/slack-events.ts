import { FakeSlack } from "../../fakes/slack/fake-slack.ts";
import { EventCrowd } from "../event-crowd.ts";
import type { Comparison } from "../measure.ts";
import type { Scenario } from "../scenario.ts";
import { ServerProcess } from "../servers/server-process.ts";

const IN_FLIGHT = 32;

interface Rig {
  readonly product: ServerProcess;
  readonly floor: ServerProcess;
  readonly ours: EventCrowd;
  readonly theirs: EventCrowd;
}

/** The product, which stores every event, beside a bare Bolt app, which forgets it; both ask the same local Slack. */
async function* withBoth(compare: (rig: Rig) => AsyncGenerator<Comparison>): AsyncGenerator<Comparison> {
  const slack = await FakeSlack.start();
  const { apiUrl, botToken, signingSecret, world } = slack;
  const channel = { adapter: "slack", botToken, signingSecret, apiUrl };
  const product = await ServerProcess.start("gateway", "slack", JSON.stringify(channel));
  const floor = await ServerProcess.start("bolt", apiUrl, botToken, signingSecret);
  const ours = new EventCrowd(world, `http://127.0.0.1:${product.port}/channels/slack/events`, signingSecret);
  const theirs = new EventCrowd(world, `http://127.0.0.1:${floor.port}/slack/events`, signingSecret);
  yield* compare({ product, floor, ours, theirs });
  ours.leave();
  theirs.leave();
  await Promise.all([product.stop(), floor.stop()]);
  await slack.stop();
}

const cpuOf = ({ product, floor }: Rig): NonNullable<Comparison["cpu"]> => {
  return (side) => (side === "product" ? product : floor).ask("cpu");
};

export const slackEvents: Scenario = {
  name: "Slack events",
  aim: "≥ 0.7",
  prepare: (quick) =>
    withBoth(async function* (rig) {
      const count = quick ? 600 : 3_000;
      yield {
        name: `Slack events, ${IN_FLIGHT} at once`,
        unit: "per second",
        cpu: cpuOf(rig),
        product: () => rig.ours.perSecond(count, IN_FLIGHT),
        floor: () => rig.theirs.perSecond(count, IN_FLIGHT),
      };
      yield {
        name: `Slack acknowledgement, ${IN_FLIGHT} at once`,
        unit: "ms",
        aim: "p99 < 500 ms",
        cpu: cpuOf(rig),
        product: () => rig.ours.times(count, IN_FLIGHT),
        floor: () => rig.theirs.times(count, IN_FLIGHT),
      };
    }),
};

/** Live memory after many events, beside the same process after the first fifth of them. */
export const slackMemory: Scenario = {
  name: "Slack memory over many events",
  aim: "≤ 1.1",
  soak: true,
  prepare: (quick) =>
    withBoth(async function* ({ product, ours }) {
      const fifth = quick ? 4_000 : 20_000;
      const kilobytesAfter = async (count: number) => {
        await ours.perSecond(count, IN_FLIGHT);
        return (await product.ask("memory")) / 1_024;
      };
      const early = await kilobytesAfter(fifth);
      const late = await kilobytesAfter(4 * fifth);
      yield {
        name: `Slack memory over ${(5 * fifth).toLocaleString("en")} events`,
        unit: "kB",
        product: async () => late,
        floor: async () => early,
      };
    }),
};
