import type { Bot, Platform } from "../answers/bot.ts";
import { discordBots } from "../answers/discord-bots.ts";
import type { Race } from "../answers/race.ts";
import { slackBots } from "../answers/slack-bots.ts";
import { socketBots } from "../answers/socket-bots.ts";
import { teamsBots } from "../answers/teams-bots.ts";
import { telegramBots } from "../answers/telegram-bots.ts";
import type { Scenario } from "../scenario.ts";

/** The end of the names of these scenarios. */
export const ANSWERS = "message → answer";
const IN_FLIGHT = [1, 32, 256] as const;
/** Before that, the engine is still compiling. */
const WARM_UP = 1_500;

/**
 * From a message on a platform to the posted answer: the product beside echo bots on the bare SDKs and on another
 * framework, which store nothing.
 */
const answersOn = ({ name: platform, bots: starts }: Platform): Scenario => ({
  name: `${platform}: ${ANSWERS}`,
  aim: "",
  long: platform !== "Slack",
  async *prepare(quick) {
    const bots: Bot[] = [];
    for (const start of starts) bots.push(await start());
    for (const bot of bots) {
      let left = quick ? WARM_UP / 5 : WARM_UP;
      const lane = async (_: unknown, person: number): Promise<void> => {
        while (left-- > 0) await bot.ask(person);
      };
      await Promise.all(Array.from({ length: 32 }, lane));
      bot.tidy();
    }
    const race = (load: Race["load"], inFlight: number): Race => ({
      name: `${platform}: message → answer, ${inFlight} in flight, ${load}`,
      platform,
      load,
      inFlight,
      bots,
      rounds: 3,
      roundMs: quick ? 700 : 1_000,
    });
    try {
      for (const inFlight of quick ? [32] : IN_FLIGHT) yield race("steady", inFlight);
      if (!quick) yield race("bursts", 32);
    } finally {
      for (const bot of bots) await bot.stop();
    }
  },
});

export const answers: readonly Scenario[] = [slackBots, discordBots, teamsBots, telegramBots, socketBots].map(
  answersOn,
);
