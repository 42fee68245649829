import { FakeSlack } from "../../fakes/slack/fake-slack.ts";
import type { Comparison } from "../measure.ts";
import type { PostingCrowd } from "../posting-crowd.ts";
import type { Scenario } from "../scenario.ts";
import { eachBackbone } from "../servers/each-backbone.ts";
import { ServerProcess } from "../servers/server-process.ts";
import { slackCrowd } from "../slack-crowd.ts";

const IN_FLIGHT = 32;

interface Rig {
  readonly on: string;
  readonly product: ServerProcess;
  readonly floor: ServerProcess;
  readonly onProduct: PostingCrowd;
  readonly onFloor: PostingCrowd;
}

/** The product, which stores every event, beside a bare Bolt app, which does not; both call the same local Slack. */
async function* withBoth(
  quick: boolean,
  compare: (rig: Rig) => AsyncGenerator<Comparison>,
): AsyncGenerator<Comparison> {
  for await (const { on, start } of eachBackbone({ firstOnly: quick })) {
    const slack = await FakeSlack.start();
    const { apiUrl, botToken, signingSecret, world } = slack;
    const channel = { adapter: "slack", botToken, signingSecret, apiUrl };
    const product = await start("gateway", `--slack=${JSON.stringify(channel)}`);
    const floor = await ServerProcess.start("bolt", apiUrl, botToken, signingSecret);
    const onProduct = slackCrowd(world, `http://127.0.0.1:${product.port}/channels/slack/events`, signingSecret);
    const onFloor = slackCrowd(world, `http://127.0.0.1:${floor.port}/slack/events`, signingSecret);
    yield* compare({ on, product, floor, onProduct, onFloor });
    onProduct.leave();
    onFloor.leave();
    await floor.stop();
    await slack.stop();
  }
}

const cpuOf = ({ product, floor }: Rig): NonNullable<Comparison["cpu"]> => {
  return (side) => (side === "product" ? product : floor).ask("cpu");
};

export const slackEvents: Scenario = {
  name: "Slack events",
  aim: "≥ 0.7",
  prepare: (quick) =>
    withBoth(quick, async function* (rig) {
      const count = quick ? 600 : 2_000;
      yield {
        name: `Slack events, ${IN_FLIGHT} at once (${rig.on})`,
        unit: "per second",
        cpu: cpuOf(rig),
        product: () => rig.onProduct.perSecond(count, IN_FLIGHT),
        floor: () => rig.onFloor.perSecond(count, IN_FLIGHT),
      };
      yield {
        name: `Slack acknowledgement, ${IN_FLIGHT} at once (${rig.on})`,
        unit: "ms",
        aim: "p99 < 500 ms",
        cpu: cpuOf(rig),
        product: () => rig.onProduct.times(count, IN_FLIGHT),
        floor: () => rig.onFloor.times(count, IN_FLIGHT),
      };
    }),
};

/** Live memory after many events, compared with the same process after the first fifth of them. */
export const slackMemory: Scenario = {
  name: "Slack memory over many events",
  aim: "≤ 1.1",
  soak: true,
  prepare: (quick) =>
    withBoth(quick, async function* ({ on, product, onProduct }) {
      const fifth = quick ? 4_000 : 20_000;
      const kilobytesAfter = async (count: number) => {
        await onProduct.perSecond(count, IN_FLIGHT);
        return (await product.ask("memory")) / 1_024;
      };
      const early = await kilobytesAfter(fifth);
      const late = await kilobytesAfter(4 * fifth);
      yield {
        name: `Slack memory over ${(5 * fifth).toLocaleString("en")} events (${on})`,
        unit: "kB",
        product: async () => late,
        floor: async () => early,
      };
    }),
};
