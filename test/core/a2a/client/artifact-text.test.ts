import type { Artifact, Part, StreamResponse } from "@a2a-js/sdk";
import { StreamResponse as StreamResponseJson, Task } from "@a2a-js/sdk";
import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { type TaskUpdate, updateOfTask, updatesOfEvents } from "../../../../core/a2a/client/task-update.ts";

interface Chunk {
  readonly id?: string;
  readonly text: string;
  readonly append: boolean;
}

const artifactOf = (id: string, parts: readonly object[]): Artifact =>
  (Task.fromJSON({ artifacts: [{ artifactId: id, parts }] }).artifacts as [Artifact])[0];

/** Encoded as JSON, as on the wire. */
const chunkEvent = ({ id = "a", text, append }: Chunk, lastChunk = false): StreamResponse =>
  StreamResponseJson.fromJSON(
    JSON.parse(
      JSON.stringify({ artifactUpdate: { artifact: { artifactId: id, parts: [{ text }] }, append, lastChunk } }),
    ),
  );
const COMPLETED = StreamResponseJson.fromJSON({
  statusUpdate: { taskId: "t", status: { state: "TASK_STATE_COMPLETED" } },
});

const streamed = async (...events: StreamResponse[]): Promise<TaskUpdate | undefined> => {
  const all = async function* () {
    yield* events;
    yield COMPLETED;
  };
  let last: TaskUpdate | undefined;
  for await (const update of updatesOfEvents(all())) last = update;
  return last;
};

/** Joins the parts of all chunks in order, as servers store them for GetTask. */
const stored = (chunks: readonly Chunk[]): TaskUpdate => {
  const artifacts = new Map<string, Part[]>();
  for (const { id = "a", text, append } of chunks) {
    const parts = artifactOf(id, [{ text }]).parts;
    artifacts.set(id, append ? [...(artifacts.get(id) ?? []), ...parts] : parts);
  }
  const kept = [...artifacts].map(([id, parts]) => ({ ...artifactOf(id, []), parts }));
  return updateOfTask({ ...Task.fromJSON({ id: "t", status: { state: "TASK_STATE_COMPLETED" } }), artifacts: kept });
};

const splittings = fc
  .tuple(fc.string({ unit: "binary", minLength: 1, maxLength: 60 }), fc.array(fc.nat(60), { maxLength: 12 }))
  .map(([text, cuts]) => {
    const at = [0, ...cuts.filter((cut) => cut < text.length).sort((a, b) => a - b), text.length];
    const chunks = at.slice(1).map((end, index) => ({ text: text.slice(at[index], end), append: index > 0 }));
    return { text, chunks };
  });

describe("given an answer that a remote agent streams in chunks (A9)", () => {
  it("when it is split at any position, then streamed and stored chunks both give the exact text", async () => {
    await fc.assert(
      fc.asyncProperty(splittings, async ({ text, chunks }) => {
        const events = chunks.map((chunk, index) => chunkEvent(chunk, index === chunks.length - 1));
        expect((await streamed(...events))?.answer).toBe(text);
        expect(stored(chunks).answer).toBe(text);
      }),
      { numRuns: 300 },
    );
  });

  it("when the chunks of two artifacts alternate, then each is complete, in the order of their first chunks", async () => {
    const chunks = [
      { id: "a", text: "12", append: false },
      { id: "b", text: "High ", append: false },
      { id: "a", text: ".5 m", append: true },
      { id: "b", text: "tide", append: true },
    ];
    expect((await streamed(...chunks.map((chunk) => chunkEvent(chunk))))?.answer).toBe("12.5 m\n\nHigh tide");
    expect(stored(chunks).answer).toBe("12.5 m\n\nHigh tide");
  });

  it("when an artifact is sent again without append, even after its last chunk, then it replaces the first one", async () => {
    const first = [chunkEvent({ text: "12", append: false }), chunkEvent({ text: ".5", append: true }, true)];
    const again = [chunkEvent({ text: "9", append: false }), chunkEvent({ text: " m", append: true }, true)];
    expect((await streamed(...first, ...again))?.answer).toBe("9 m");
  });

  it("when the first received chunk has append, then it is not lost", async () => {
    expect((await streamed(chunkEvent({ text: "12", append: true })))?.answer).toBe("12");
  });

  it("when the stream begins with the task, then chunks continue its artifacts", async () => {
    const task = StreamResponseJson.fromJSON({
      task: {
        id: "t",
        artifacts: [{ artifactId: "a", parts: [{ text: "12" }] }],
        status: { state: "TASK_STATE_WORKING" },
      },
    });
    expect((await streamed(task, chunkEvent({ text: ".5 m", append: true })))?.answer).toBe("12.5 m");
  });

  it("when data or files are between texts, then each has its own line", () => {
    const parts = [{ text: "The " }, { text: "depth:" }, { data: { m: 9 } }, { url: "https://x/1", filename: "map" }];
    const task = Task.fromJSON({ artifacts: [{ artifactId: "a", parts: [...parts, { text: "end" }] }] });
    expect(updateOfTask(task).answer).toBe('The depth:\n{"m":9}\n[file: map, https://x/1]\nend');
  });

  it("when there are no artifacts, then the text of the status is the answer", async () => {
    const said = { role: "ROLE_AGENT", parts: [{ text: "Nine." }, { text: "At noon." }] };
    const status = { state: "TASK_STATE_COMPLETED", message: said };
    expect(updateOfTask(Task.fromJSON({ id: "t", status })).answer).toBe("Nine.\nAt noon.");
  });
});
