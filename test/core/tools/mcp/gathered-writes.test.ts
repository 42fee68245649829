import { Writable } from "node:stream";
import { describe, expect, it } from "vitest";
import { writeTogether } from "../../../../core/tools/mcp/client/gathered-writes.ts";

/** Notes what each system call would write. */
const notingStream = (fail?: Error) => {
  const calls: string[][] = [];
  const stream = new Writable({
    decodeStrings: false,
    write(chunk: string, _encoding, done) {
      calls.push([chunk]);
      done(fail);
    },
    writev(chunks, done) {
      calls.push(chunks.map(({ chunk }) => chunk as string));
      done(fail);
    },
  });
  stream.on("error", () => undefined);
  const send = (text: string) =>
    new Promise<void>((resolve, reject) => {
      writeTogether(stream);
      stream.write(text, (error) => (error ? reject(error) : resolve()));
    });
  return { calls, send };
};

describe("given a program that several calls use", () => {
  it("when they start together, then it gets them in one write, in order; a later one is not delayed by them", async () => {
    const { calls, send } = notingStream();
    const afterCommit = Promise.resolve();
    await Promise.all(["a", "b", "c"].map((text) => afterCommit.then(() => send(text))));
    await send("d");
    expect(calls).toEqual([["a", "b", "c"], ["d"]]);
  });

  it("when its input is closed, then each of them fails", async () => {
    const { send } = notingStream(new Error("EPIPE"));
    const sent = await Promise.allSettled([send("a"), send("b")]);
    expect(sent.map(({ status }) => status)).toEqual(["rejected", "rejected"]);
  });
});
