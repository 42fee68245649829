import { afterEach, beforeEach, describe, expect, it } from "vitest";
import { LANGUAGES, type Texts, textsFor } from "../../../../core/contract/texts/texts.ts";
import { errorText } from "../../../../core/contract/texts/told-error.ts";
import { resolveAsker } from "../../../../core/people/index.ts";
import { changePerson } from "../../../../core/people/person-record.ts";
import { createInbox } from "../../../../gateway/relay/inbox.ts";
import { sampleMessage } from "../../../fakes/sample-message.ts";
import type { RelayRig } from "../relay-rig.ts";
import { openRelayRig } from "../relay-rig.ts";

const { en, de, es } = LANGUAGES;
const conversation = { channel: "paper", room: "dm-ann", kind: "private" } as const;
const address = { tenant: "default", channel: "paper", accountId: "ann" };
const from = (locale?: string) =>
  sampleMessage({
    id: "m-1",
    conversation,
    text: "hello",
    account: { id: "ann", name: "Ann", ...(locale !== undefined && { locale }) },
  });

let rig: RelayRig;
beforeEach(async () => {
  rig = await openRelayRig();
});
afterEach(() => rig.close());

type Access = NonNullable<Parameters<typeof createInbox>[0]["access"]>;

/** The refusal of a message, as an adapter shows it to a person whose language it does not know, and its message. */
const refusalOf = async (access: Access, locale?: string, localeOn?: () => string) => {
  const inbox = createInbox({ ...rig.context, access, localeOn });
  const error: unknown = await inbox.accept(from(locale)).then(
    () => undefined,
    (refused: unknown) => refused,
  );
  return { shown: errorText(error, textsFor(undefined)), message: (error as Error).message };
};
const chooses = (locale: string) => changePerson(rig.backbone.store, address, (person) => ({ ...person, locale }));

describe("given a message that the channel refuses", () => {
  it.each([
    ["of an account that is not listed", { accounts: ["bob"] }, ({ refusals }: Texts) => refusals.notListed],
    ["to a personal assistant", { accounts: ["bob"], isPersonal: true }, ({ refusals }: Texts) => refusals.notTheOwner],
  ])(
    "%s, then the refusal is in the language of the sender, and its message for the log English",
    async (_, access, say) => {
      expect(await refusalOf(access as Access, "de-AT")).toEqual({ shown: say(de), message: say(en) });
      expect(await refusalOf(access as Access)).toEqual({ shown: say(en), message: say(en) });
    },
  );

  it("when the person has chosen a language, then it overrides the one that the platform reports", async () => {
    await resolveAsker(rig.context, from("de"));
    await chooses("es");
    expect((await refusalOf({ accounts: [] }, "de")).shown).toBe(es.refusals.notListed);
  });

  it("when the language is unknown, then that of the channel counts", async () => {
    expect((await refusalOf({ accounts: [] }, undefined, () => "es")).shown).toBe(es.refusals.notListed);
  });

  it("when the same account id is used on another channel, then each has its own language", async () => {
    const inbox = createInbox({
      ...rig.context,
      access: { accounts: [] },
      localeOn: (on) => (on === "paper" ? "es" : "de"),
    });
    const shownTo = async (message: ReturnType<typeof from>) =>
      errorText(await inbox.accept(message).catch((refused: unknown) => refused), textsFor(undefined));
    expect(await shownTo(from())).toBe(es.refusals.notListed);
    const elsewhere = { ...from(), conversation: { ...conversation, channel: "glass" } };
    expect(await shownTo(elsewhere)).toBe(de.refusals.notListed);
  });

  it("when an account floods the channel, then the store is read once", async () => {
    let reads = 0;
    const { store } = rig.backbone;
    const get = (...args: Parameters<typeof store.get>) => {
      reads++;
      return store.get(...args);
    };
    const counting = new Proxy(store, { get: (target, name) => (name === "get" ? get : Reflect.get(target, name)) });
    const inbox = createInbox({ ...rig.context, store: counting, access: { accounts: [] } });
    await inbox.accept(from("de")).catch(() => undefined);
    const first = reads;
    for (let sent = 0; sent < 20; sent++) await inbox.accept(from("de")).catch(() => undefined);
    expect({ first: first > 0, more: reads - first }).toEqual({ first: true, more: 0 });
  });
});
