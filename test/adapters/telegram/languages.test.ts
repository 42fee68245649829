import { describe, expect, it } from "vitest";
import { LANGUAGES } from "../../../core/contract/texts/texts.ts";
import { ToldError } from "../../../core/contract/texts/told-error.ts";
import { runningTelegram } from "./running-telegram.ts";

const { en, de, es } = LANGUAGES;

describe("given a bot whose people read German or Spanish", () => {
  it("when it starts, then its menu has each language, and English for all others", async () => {
    const { telegram } = await runningTelegram();
    const menus = await telegram.methods.menus.count(3);
    const shown = menus.map(({ language, commands }) => [
      language,
      commands.find(({ command }) => command === "cancel")?.description,
    ]);
    expect(shown).toEqual([
      ["", en.menu.cancel.menu],
      ["de", de.menu.cancel.menu],
      ["es", es.menu.cancel.menu],
    ]);
  });

  it("when a message is refused, then the notice is in the language of its reader, and the log is English", async () => {
    const { telegram, inbox } = await runningTelegram();
    const ann = telegram.world.privateChat("ann");
    const say = ({ refusals }: typeof en) => refusals.blocked;
    inbox.refuseNext(new ToldError("forbidden", say, { reader: de }));
    await telegram.say({ person: "ann", in: ann, text: "hello" });
    await expect.poll(() => telegram.posted.map(({ text }) => text)).toEqual([de.refusals.blocked]);
  });
});
