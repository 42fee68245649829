import { beforeEach, describe, expect, it } from "vitest";
import { summariseByModel } from "../../../core/intake/prompt-summary.ts";
import { ModelFailed } from "../../../core/model/model-failed.ts";
import { ManualClock } from "../../fakes/manual-clock.ts";
import { RecordingLogger } from "../../fakes/recording-logger.ts";
import type { Answer } from "../../fakes/scripted-model.ts";
import { ScriptedModel } from "../../fakes/scripted-model.ts";

let clock: ManualClock;
let logger: RecordingLogger;
let stopping: AbortController;
let model: ScriptedModel;
beforeEach(() => {
  clock = new ManualClock();
  logger = new RecordingLogger();
  stopping = new AbortController();
  model = new ScriptedModel();
});
const ask = (answer: Answer, text = "please compare the tides") => {
  model.follow([answer]);
  return summariseByModel({ clock, logger, stopping: stopping.signal }, model, text);
};
const never: Answer = ({ signal }) =>
  new Promise((_, reject) => signal.addEventListener("abort", () => reject(signal.reason)));

describe("given a prompt that needs a line of the model's (O4)", () => {
  it("then the model is asked once, without tools, and sees neither secrets nor more than the beginning", async () => {
    const text = `password=hunter2 ${"x".repeat(7_000)}`;
    expect(await ask("Compare the tides", text)).toBe("Compare the tides");
    const [request] = model.requests.items;
    expect(request).toMatchObject({ tools: [], toolChoice: "none", messages: [{ role: "user" }] });
    expect(request?.system).toContain("at most 60 characters");
    const shown = request?.messages[0]?.role === "user" ? request.messages[0].text : "";
    expect(shown).toMatch(/^password=••• x+$/);
    expect(shown.length).toBeLessThanOrEqual(6_000);
    expect(logger.lines.items).toEqual([]);
    expect(clock.pending).toBe(0);
  });

  it.each([
    ['"Compare the tides"', "Compare the tides"],
    ["  „Compare the tides“.  ", "Compare the tides"],
    ["«Compare» the tides...", "Compare» the tides"],
    ["**Compare** the tides", "Compare the tides"],
    ["www and other words", "www and other words"],
  ])("when it says %j, then the line is %j", async (answer, line) => {
    expect(await ask(answer)).toBe(line);
  });

  it.each([
    ["", "nothing"],
    ['"".', "only marks"],
    ["one\ntwo", "two lines"],
    ["one\rtwo", "two lines for an old machine"],
    ["see https://x.example", "an address"],
    ["see www.x.example", "an address without a scheme"],
    ["ask @ann", "a mention"],
    ["<b>tides", "mark-up"],
    ["tides > 3", "a sign of mark-up"],
    ["word ".repeat(30), "more than an anchor shows"],
    [`${" ".repeat(1_001)}tides`, "far too much"],
  ])("when it says %j, then there is no line: %s", async (answer) => {
    expect(await ask(answer)).toBeUndefined();
  });

  it("when it says exactly as much as is read, then that counts", async () => {
    expect(await ask(`${" ".repeat(995)}tides`)).toBe("tides");
  });

  it("when it fails, then there is none, and the log says why", async () => {
    expect(await ask(new ModelFailed("overloaded", "busy"))).toBeUndefined();
    expect(logger.lines.items).toMatchObject([{ level: "warn", fields: { model: "scripted", error: "busy" } }]);
    expect(clock.pending).toBe(0);
  });

  it("when it takes more than five seconds, then it is not waited for", async () => {
    const line = ask(never);
    clock.advance(4_999);
    expect(logger.lines.items).toEqual([]);
    clock.advance(1);
    expect(await line).toBeUndefined();
    expect(logger.lines.items[0]?.fields.error).toBe("no summary within 5000 ms");
  });

  it("when the process stops, then the turn ends there and decides nothing", async () => {
    const line = ask(never);
    stopping.abort(new Error("stopping"));
    await expect(line).rejects.toThrow("stopping");
    expect(logger.lines.items).toEqual([]);
    expect(clock.pending).toBe(0);
  });
});
