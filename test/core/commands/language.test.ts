import { afterEach, beforeEach, describe, expect, it } from "vitest";
import { LANGUAGES } from "../../../core/contract/texts/texts.ts";
import { ModelFailed } from "../../../core/model/index.ts";
import { findPerson } from "../../../core/people/person-record.ts";
import type { MessageFields } from "../../fakes/sample-message.ts";
import { CoreUnderTest } from "../core-under-test.ts";

const { en, de, es } = LANGUAGES;

let core: CoreUnderTest;
beforeEach(async () => {
  core = await CoreUnderTest.start(() => "ok");
});
afterEach(() => core.dispose());

let count = 0;
const inPrivate = { channel: "web", room: "anns", kind: "private" } as const;
const inRoom = { channel: "web", room: "lobby", kind: "shared" } as const;

/** Ann's message; `locale` is what her platform reports with it. */
const says = async (name: string, args: string, locale?: string, more: MessageFields = {}): Promise<string> => {
  const account = { id: "ann", name: "Ann", ...(locale !== undefined && { locale }) };
  const command = { command: { name, args } };
  return (await core.ask(`m-${++count}`, "", { conversation: inPrivate, account, ...command, ...more })).markdown;
};

const stored = async () =>
  (await findPerson(core.backbone.store, { tenant: "default", channel: "web", accountId: "ann" })).person.locale;

describe("given a person whose language is unknown", () => {
  it("when they ask for help, then it is English", async () => {
    expect(await says("help", "")).toContain(en.help.introduction);
    expect(await says("language", "")).toBe(`${en.language.unknown("English")} ${en.language.usage}`);
  });

  it("when they read German, then help names the values to fill in in German, and the words to type as they are (U3)", async () => {
    expect(await says("help", "")).toContain("`/link [code]`");
    const help = await says("help", "", "de");
    for (const usage of ["link [Code]", "unlink [Kanal]", "report [Grund]"]) expect(help).toContain(`\`/${usage}\``);
    expect(help).toContain("`/memory [find <Wörter>|forget <Nummer>|forget all]`");
    expect(help).toContain("`/language [en | de | es | auto]`");
  });

  it("when their channel has a locale, then it is in its language", async () => {
    await core.dispose();
    core = await CoreUnderTest.start(() => "ok", { agent: { defaultsOn: () => ({ locale: "es-MX" }) } });
    expect(await says("help", "")).toContain(es.help.introduction);
    expect(await says("help", "", "de")).toContain(de.help.introduction);
  });
});

describe("given a person whose platform reports a locale", () => {
  it("when it is German, Austrian German or Spanish, then the answer is in that language", async () => {
    expect(await says("inbox", "", "de")).toBe(de.inbox.empty);
    expect(await says("inbox", "", "de-AT")).toBe(de.inbox.empty);
    expect(await says("inbox", "", "es-419")).toBe(es.inbox.empty);
  });

  it("when it is a language without texts, then the answer is English", async () => {
    expect(await says("inbox", "", "fr-FR")).toBe(en.inbox.empty);
  });

  it("when a later message reports none, then the last one counts", async () => {
    await says("inbox", "", "de");
    expect(await says("inbox", "")).toBe(de.inbox.empty);
  });

  it("when the model fails, then the error is in their language", async () => {
    await core.dispose();
    core = await CoreUnderTest.start(() => {
      throw new ModelFailed("refused", "no");
    });
    const account = { id: "ann", name: "Ann", locale: "es" };
    const reply = await core.ask("m-fail", "hello", { conversation: inPrivate, account });
    expect(reply).toMatchObject({ outcome: "failed", markdown: es.failures.refused });
  });
});

describe("given a person who chooses a language", () => {
  it("when they choose German, then the answer is already German, and it overrides their platform everywhere", async () => {
    expect(await says("language", "de", "en-US")).toBe(`${de.language.own("Deutsch")} ${de.language.usage}`);
    expect(await stored()).toBe("de");
    expect(await says("inbox", "", "en-US")).toBe(de.inbox.empty);
    expect(await says("cancel", "", "en-US", { conversation: inRoom })).toBe(de.cancel.nothingHere);
  });

  it("when they choose a region, then it is stored in its usual spelling", async () => {
    await says("language", "DE_at");
    expect(await stored()).toBe("de-AT");
  });

  it("when they write auto, then their platform counts again", async () => {
    await says("language", "de", "es");
    expect(await says("language", "auto", "es")).toBe(`${es.language.reported("Español")} ${es.language.usage}`);
    expect(await stored()).toBeUndefined();
  });

  it.each(["fr", "german", "d", "de-", "de please", "x".repeat(1_000)])(
    "when they write %j, then nothing changes",
    async (args) => {
      expect(await says("language", args)).toBe(en.language.notALanguage(args.slice(0, 60)));
      expect(await stored()).toBeUndefined();
    },
  );

  it("when the core restarts, then the choice stays", async () => {
    await says("language", "es");
    await core.startCore();
    expect(await says("inbox", "")).toBe(es.inbox.empty);
  });
});
