import { afterEach, describe, expect, it } from "vitest";
import { z } from "zod";
import type { OfferedTools, Tool, ToolOutput } from "../../../core/contract/tool.ts";
import type { StepRequest } from "../../../core/model/step.ts";
import { Rights } from "../../../core/rights/rights.ts";
import { calls } from "../../fakes/scripted-model.ts";
import { CoreUnderTest } from "../core-under-test.ts";
import { delegates, roles } from "../subtasks/delegating.ts";

let core: CoreUnderTest;
afterEach(() => core.dispose());

let runs = 0;
const weather = (rest: Partial<Tool> = {}, output: string | ToolOutput = "sunny"): Tool => ({
  name: "forecast__weather",
  description: "The weather",
  input: z.looseObject({}),
  inputSchema: { type: "object", properties: { city: { type: "string" } }, "x-vendor": 1 },
  needs: "tool:forecast__weather",
  repeatable: true,
  run: async () => {
    runs++;
    return output;
  },
  ...rest,
});
const GRANTED = new Rights({ member: ["default", "tool:forecast__*"] });
const offering = (offered: Partial<OfferedTools>, rights = GRANTED) => {
  runs = 0;
  const current = { tools: [], unavailable: [], ...offered };
  return { agent: { rights, toolSource: { offer: async () => current } } };
};
const lastResult = () => {
  const message = core.model.requests.items.at(-1)?.messages.at(-1);
  return message?.role === "tool" ? message.results[0] : undefined;
};
const toolsIn = (request: number) => core.model.requests.items[request]?.tools.map(({ name }) => name) ?? [];

describe("given an agent with tools of another program (T1)", () => {
  it("when a person with the right writes, then the model is offered them with their own schema and can call them", async () => {
    core = await CoreUnderTest.start([calls({ name: "forecast__weather" }), "done"], offering({ tools: [weather()] }));
    expect(await core.ask("m-1", "weather?")).toMatchObject({ markdown: "done" });
    expect(core.model.requests.items[0]?.tools.find(({ name }) => name === "forecast__weather")?.inputSchema).toEqual({
      type: "object",
      properties: { city: { type: "string" } },
      "x-vendor": 1,
    });
    expect(lastResult()).toMatchObject({ output: "sunny" });
  });

  it("when the person has no right, then the model is not offered them and a call is refused", async () => {
    const options = offering({ tools: [weather()] }, new Rights());
    core = await CoreUnderTest.start([calls({ name: "forecast__weather" }), "done"], options);
    await core.ask("m-1", "weather?");
    expect(toolsIn(0)).not.toContain("forecast__weather");
    expect(lastResult()).toMatchObject({ failed: true });
    expect(runs).toBe(0);
  });

  it("when the list never changes, then turns take it without asking the source", async () => {
    let asked = 0;
    const always = { tools: [weather()], unavailable: [] };
    const toolSource = { always, offer: async () => ({ ...always, unavailable: [`asked ${++asked}`] }) };
    core = await CoreUnderTest.start(["one"], { agent: { rights: GRANTED, toolSource } });
    await core.ask("m-1", "weather?");
    expect([toolsIn(0).includes("forecast__weather"), asked]).toEqual([true, 0]);
  });

  it("when the program cannot be reached, then the turn runs and the model gets the reason", async () => {
    core = await CoreUnderTest.start(["hello"], offering({ unavailable: ["forecast: it does not start"] }));
    expect(await core.ask("m-1", "hi")).toMatchObject({ markdown: "hello" });
    expect(core.model.requests.items[0]?.system).toContain("cannot be used now:\nforecast: it does not start");
  });

  it("when a tool returns files, then the model gets their names, and people get the files (M3)", async () => {
    const output = { text: "a map", files: [{ name: "map.png", mediaType: "image/png", bytes: new Uint8Array(3) }] };
    const options = offering({ tools: [weather({}, output)] });
    core = await CoreUnderTest.start([calls({ name: "forecast__weather" }), "done"], options);
    const { files } = await core.ask("m-1", "weather?");
    expect(lastResult()?.output).toBe("a map\n[file: map.png (image/png, 3 bytes); people get it with your answer]");
    expect(files).toMatchObject([{ name: "map.png", mediaType: "image/png", bytes: 3 }]);
  });

  it("when the turn delegates, then the subtask has the offered tools too", async () => {
    const script = roles({ primary: delegates(["a"], "on it") });
    core = await CoreUnderTest.start(script, offering({ tools: [weather()] }));
    await core.ask("m-1", "research a");
    const isSubagent = ({ tools }: StepRequest) => tools.some(({ name }) => name === "complete_subtask");
    const requests = await core.model.requests.until((items) => items.some(isSubagent));
    expect(requests.find(isSubagent)?.tools.map(({ name }) => name)).toContain("forecast__weather");
  });
});
