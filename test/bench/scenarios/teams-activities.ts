import { FakeTeams } from "../../fakes/teams/fake-teams.ts";
import type { Side } from "../measure.ts";
import type { Scenario } from "../scenario.ts";
import { eachBackbone } from "../servers/each-backbone.ts";
import { ServerProcess } from "../servers/server-process.ts";
import { teamsCrowd } from "../teams-crowd.ts";

const IN_FLIGHT = 32;

/** The product, which stores every activity, beside a bare botbuilder bot, which does not. */
export const teamsActivities: Scenario = {
  name: "Teams activities",
  aim: "≥ 0.7",
  async *prepare(quick) {
    for await (const { on, start } of eachBackbone({ firstOnly: quick })) {
      const teams = await FakeTeams.start();
      const { config } = teams;
      const product = await start("gateway", `--teams=${JSON.stringify(config)}`);
      const floor = await ServerProcess.start("botbuilder", teams.appId, config.openIdMetadataUrl);
      const onProduct = await teamsCrowd(teams, `http://127.0.0.1:${product.port}/channels/teams/messages`);
      const onFloor = await teamsCrowd(teams, `http://127.0.0.1:${floor.port}/api/messages`);
      const count = quick ? 300 : 1_000;
      const cpu = (side: Side) => (side === "product" ? product : floor).ask("cpu");
      yield {
        name: `Teams activities, ${IN_FLIGHT} at once (${on})`,
        unit: "per second",
        cpu,
        product: () => onProduct.perSecond(count, IN_FLIGHT),
        floor: () => onFloor.perSecond(count, IN_FLIGHT),
      };
      yield {
        name: `Teams acknowledgement, ${IN_FLIGHT} at once (${on})`,
        unit: "ms",
        aim: "≤ 1.5",
        cpu,
        product: () => onProduct.times(count, IN_FLIGHT),
        floor: () => onFloor.times(count, IN_FLIGHT),
      };
      onProduct.leave();
      onFloor.leave();
      await floor.stop();
      await teams.stop();
    }
  },
};
