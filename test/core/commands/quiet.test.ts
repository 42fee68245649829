import { afterEach, beforeEach, describe, expect, it } from "vitest";
import { findPerson } from "../../../core/people/person-record.ts";
import { CoreUnderTest } from "../core-under-test.ts";
import { At } from "../people/linked-core.ts";

let core: CoreUnderTest;
let ann: At;
beforeEach(async () => {
  core = await CoreUnderTest.start(() => "ok");
  ann = new At(core, "web", "ann");
});
afterEach(() => core.dispose());

const settings = async () => {
  const { person } = await findPerson(core.backbone.store, { tenant: "default", channel: "web", accountId: "ann" });
  return { quiet: person.quiet, policy: person.policy };
};

describe("given a person who sets quiet hours and reach (D2, I3)", () => {
  it("when they set hours, then these are stored, with a time zone if given", async () => {
    expect(await ann.command("quiet", "22:00-7:00")).toContain("22:00–07:00, in your time zone");
    expect((await settings()).quiet).toEqual({ from: "22:00", to: "07:00" });
    await ann.command("quiet", "23:30-06:00 Europe/Berlin");
    expect((await settings()).quiet).toEqual({ from: "23:30", to: "06:00", timeZone: "Europe/Berlin" });
    expect(await ann.command("quiet", "off")).toContain("Quiet hours: off");
  });

  it("when they set the reach for all work and for one kind, then both are stored", async () => {
    await ann.command("quiet", "last-active");
    expect(await ann.command("quiet", "origin scheduled")).toContain("last-active, origin for scheduled work");
    expect((await settings()).policy).toEqual({ default: "last-active", scheduled: "origin" });
    await ann.command("quiet", "default");
    expect(await settings()).toEqual({ quiet: undefined, policy: undefined });
  });

  it.each(["25:00-07:00", "22:00-22:00", "22:00-07:00 Atlantis", "origin sometimes", "please"])(
    "when they write %s, then nothing changes and they get the usage",
    async (args) => {
      expect(await ann.command("quiet", args)).toContain("I don't understand");
      expect(await settings()).toEqual({ quiet: undefined, policy: undefined });
    },
  );

  it("when they ask in a shared room, then only they see the answer", async () => {
    const room = new At(core, "web", "ann", "shared");
    const answer = await room.say("/quiet", { command: { name: "quiet", args: "" } });
    expect(answer).toMatchObject({
      onlyFor: "ann",
      markdown: expect.stringContaining("Quiet hours: off (the default)."),
    });
  });

  it("when the operator has set defaults for the channel, then the answer names them until the person sets their own", async () => {
    await core.dispose();
    const quietHours = { from: "21:00", to: "06:30", timeZone: "Europe/Berlin" };
    const defaultsOn = (channel: string) =>
      channel === "web" ? { quietHours, policy: { default: "origin", scheduled: "last-active" } as const } : {};
    core = await CoreUnderTest.start(() => "ok", { agent: { defaultsOn } });
    ann = new At(core, "web", "ann");
    expect(await ann.command("quiet", "")).toContain(
      "Quiet hours: 21:00–06:30, Europe/Berlin (the default).\n" +
        "Where I message you first: origin, last-active for scheduled work (the default).",
    );
    expect(await ann.command("quiet", "off")).toContain("Quiet hours: off.\n");
    expect(await ann.command("quiet", "everywhere")).toContain("Where I message you first: everywhere.");
    expect(await ann.command("quiet", "default")).toContain("21:00–06:30, Europe/Berlin (the default)");
    const elsewhere = new At(core, "slack", "bob");
    expect(await elsewhere.command("quiet", "")).toContain(
      "Quiet hours: off (the default).\nWhere I message you first: everywhere (the default).",
    );
  });
});
