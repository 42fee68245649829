import { PassThrough } from "node:stream";
import { describe, expect, it } from "vitest";
import { TerminalScreen } from "../../../../adapters/web/terminal/terminal-screen.ts";

const stream = (isTTY: boolean) => Object.assign(new PassThrough(), { isTTY });

describe("given a chat in a terminal", () => {
  it.each([
    { input: true, output: true, isLive: true },
    { input: false, output: true, isLive: false },
    { input: true, output: false, isLive: false },
    { input: false, output: false, isLive: false },
  ])("when input is a terminal: $input, output: $output, then a person chats: $isLive", ({ input, output, isLive }) => {
    expect(new TerminalScreen(stream(output), stream(input), stream(false)).isLive).toBe(isLive);
  });
});
