import { writeFile } from "node:fs/promises";
import { join } from "node:path";
import { afterEach, beforeEach, describe, expect, it } from "vitest";
import { ALL, fakeServer, McpRig, run } from "../../../fakes/mcp/mcp-rig.ts";

let rig: McpRig;
beforeEach(async () => {
  rig = await McpRig.create();
});
afterEach(() => rig.dispose());

const offering = async (
  plan: { readonly tools: readonly string[]; readonly log?: string; readonly until?: string },
  rest: object = {},
) => {
  const tools = plan.tools.map((name) => ({ name, inputSchema: { type: "object" } }));
  const { source } = rig.start({ tide: fakeServer({ ...plan, tools }, rest) });
  return (await source.offer(ALL)).tools;
};

describe("given a call of an MCP tool (T2)", () => {
  it("when the server returns images, files, links and resources, then the model gets their text and the files", async () => {
    const tools = await offering({ tools: ["picture", "everything"] });
    const picture = await run(tools, "tide__picture");
    expect(picture.text).toBe("a picture");
    expect(picture.files).toMatchObject([{ name: "image-2.png", mediaType: "image/png" }]);
    expect(picture.files?.[0]?.bytes.length).toBe(70);
    const everything = await run(tools, "tide__everything");
    expect(everything.text.split("\n")).toEqual([
      "[link: a.txt file:///a.txt (text/plain)]",
      "[file:///b.txt]",
      "text of b",
      "[content of an unknown type: hologram]",
    ]);
    expect(everything.files?.map(({ name }) => name)).toEqual(["audio-1.wav", "c.pdf"]);
  });

  it("when the result is structured, too long or an error, then the model gets it, cut with a note, or as a failure", async () => {
    const tools = await offering({ tools: ["structured", "long", "fail"] }, { maxResultBytes: 2_000 });
    expect(await run(tools, "tide__structured")).toEqual({ text: '{"knots":12}' });
    const { text } = await run(tools, "tide__long");
    expect(text.length).toBeLessThan(2_000);
    expect(text).toContain("[cut: 201 kB, only the beginning is shown]");
    await expect(run(tools, "tide__fail")).rejects.toThrow("the disk is full");
  });

  it.each([
    ["repeats it as JSON", '{"ships":[{"name":"Anna \\u00e9"}]}', { ships: [{ name: "Anna é" }] }, false],
    ["has its value", "Anna\nis in Kiel", { result: "Anna\nis in Kiel" }, false],
    ["is a summary", "Found 2 ships.", { ships: ["Anna", "Berta"] }, true],
    ["has a part of it", "Anna is here", { ships: ["Anna", "Berta"] }, true],
    ["says the same", "nothing", {}, false],
  ])(
    "when a result is structured and its text %s, then the model gets both if they differ",
    async (_, text, structured, both) => {
      const { source } = rig.start({
        tide: fakeServer({ result: { content: [{ type: "text", text }], structuredContent: structured } }),
      });
      const { tools } = await source.offer(ALL);
      expect((await run(tools, "tide__echo")).text).toBe(both ? `${text}\n${JSON.stringify(structured)}` : text);
    },
  );

  it("when a call is repeated after a crash, then both carry the same key (T3)", async () => {
    const log = rig.log();
    const tools = await offering({ tools: ["echo"], log: log.path });
    for (const idempotencyKey of ["t-1/0/0", "t-1/0/0", "t-1/0/1"])
      await run(tools, "tide__echo", {}, { idempotencyKey });
    const keys = log.lines().flatMap(({ _meta }) => (_meta ? [Object.entries(_meta)] : []));
    expect(keys[0]).toEqual([["mooring/idempotency-key", expect.stringMatching(/^call-/)]]);
    expect([keys[1], keys[2]]).toEqual([keys[0], expect.not.arrayContaining(keys[0] ?? [])]);
  });

  it("when a long call reports progress, then people can see it", async () => {
    const until = join(rig.dataDir, "until");
    const tools = await offering({ tools: ["slow"], until });
    const notes: string[] = [];
    const report = (note: string) => {
      notes.push(note);
      if (notes.length === 2) void writeFile(until, "");
    };
    expect(await run(tools, "tide__slow", {}, { progress: report })).toEqual({ text: "slow and done" });
    expect(notes).toEqual(["25 %, part 1", "50 %, part 2"]);
  });

  it("when the turn is aborted, then the server gets the cancellation and other calls work", async () => {
    const log = rig.log();
    const tools = await offering({ tools: ["hang", "echo"], log: log.path });
    const turn = new AbortController();
    const hanging = run(tools, "tide__hang", {}, { signal: turn.signal });
    await run(tools, "tide__echo");
    turn.abort(new Error("the turn is over"));
    await expect(hanging).rejects.toThrow("the turn is over");
    await run(tools, "tide__echo");
    expect(log.lines().flatMap(({ notified }) => notified ?? [])).toEqual([
      "notifications/initialized",
      "notifications/cancelled",
    ]);
  });

  it("when a call takes longer than its limit, then it ends with a result that says so, and the server stays usable", async () => {
    const tools = await offering({ tools: ["hang", "echo"] }, { timeoutMs: 300 });
    await expect(run(tools, "tide__hang")).rejects.toThrow(
      "The tool server tide failed: it did not answer within 300 ms. The call may or may not have taken effect.",
    );
    expect(await run(tools, "tide__echo", { text: "hi" })).toEqual({ text: "echo: hi" });
  });

  it("when arguments do not fit the schema, then they are refused before the call, and others are passed on unchanged", async () => {
    const log = rig.log();
    const inputSchema = { type: "object", properties: { depth: { type: "number", default: 3 } }, required: ["port"] };
    const { source } = rig.start({ tide: fakeServer({ log: log.path, tools: [{ name: "echo", inputSchema }] }) });
    const { tools } = await source.offer(ALL);
    expect(tools[0]?.input.safeParse({ depth: "deep" }).success).toBe(false);
    await run(tools, "tide__echo", { port: "Kiel", extra: { a: 1 } });
    expect(log.lines().at(-1)).toMatchObject({ call: "echo", input: { port: "Kiel", extra: { a: 1 } } });
  });
});
