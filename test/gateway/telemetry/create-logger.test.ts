import { describe, expect, it } from "vitest";
import { createLogger } from "../../../gateway/telemetry/create-logger.ts";
import { logStream } from "../../../gateway/telemetry/pretty-log.ts";

const logging = (level: "debug" | "info") => {
  const lines: string[] = [];
  return { lines, logger: createLogger(level, { write: (line) => void lines.push(line) }) };
};

describe("given the logger", () => {
  it("when fields contain secrets or message text, then the line does not (U4, F24)", () => {
    const { lines, logger } = logging("info");
    const error = Object.assign(new Error("refused"), { requestBody: "canary-body", body: "canary-body" });
    logger.child({ channel: "slack", botToken: "canary-child" }).info(
      {
        token: "canary-top",
        config: { apiKey: "canary-nested", model: "m1" },
        text: "canary-text",
        error,
        cause: error,
      },
      "said",
    );
    expect(lines.join("")).not.toContain("canary");
    expect(JSON.parse(lines[0] ?? "")).toMatchObject({
      level: "info",
      msg: "said",
      channel: "slack",
      config: { apiKey: "[hidden]", model: "m1" },
      error: { message: "refused" },
    });
  });

  it("when its level changes, then lines of loggers that exist already follow it (U5)", () => {
    const { lines, logger } = logging("info");
    const child = logger.child({ channel: "slack" });
    child.debug({}, "before");
    logger.setLevel("debug");
    child.debug({}, "while");
    logger.setLevel("silent");
    child.error({}, "after");
    expect(lines.map((line) => JSON.parse(line).msg)).toEqual(["while"]);
  });

  it("when a line has a trace id, then it is in the form of OpenTelemetry (U4)", () => {
    const { lines, logger } = logging("info");
    const trace = "4bf92f3577b34da6a3ce929d0e0e4736";
    logger.info({ traceId: `00-${trace}-00f067aa0ba902b7-01;rojo=1` }, "of a caller");
    logger.child({ traceId: trace }).info({}, "of our own");
    expect(lines.map((line) => JSON.parse(line).traceId)).toEqual([trace, trace]);
  });

  it("when a line is below the level, then it is not written", () => {
    const { lines, logger } = logging("info");
    logger.debug({}, "detail");
    expect(lines).toEqual([]);
  });
});

describe("given standard error is a terminal", () => {
  const onTerminal = (hasColours: boolean) => {
    const lines: string[] = [];
    const out = { write: (line: string) => void lines.push(line) };
    const stream = logStream(out, { isTTY: true, hasColors: () => hasColours });
    return { logger: createLogger("debug", stream), text: () => lines.join("") };
  };

  it("when an event is logged, then its line has time, level, event and fields", () => {
    const { logger, text } = onTerminal(false);
    logger.warn({ channel: "slack", attempts: 3, reason: "timed out", target: { room: "C1" } }, "delivery failed");
    expect(text()).toMatch(
      /^\d\d:\d\d:\d\d\.\d{3} WARN {2}delivery failed channel=slack attempts=3 reason="timed out" target={"room":"C1"}\n$/,
    );
  });

  it("when an error is logged, then its message is a field and its stack follows, indented", () => {
    const { logger, text } = onTerminal(false);
    logger.error({ error: new Error("no route") }, "could not connect");
    expect(text()).toMatch(/ERROR could not connect error="no route"\n {4}Error: no route\n {8}at /);
  });

  it("when fields have private words, secrets or control characters, then the terminal shows none of them", () => {
    const { logger, text } = onTerminal(false);
    logger.info({ text: "private words", token: "s3cret", name: "a\u001b[31m\u009bb\nINFO fake" }, "odd\nname");
    for (const hidden of ["private", "s3cret", "\u001b", "\u009b"]) expect(text()).not.toContain(hidden);
    expect(text().split("\n")).toHaveLength(2);
  });

  it("when the terminal has colours, then the level is coloured", () => {
    const { logger, text } = onTerminal(true);
    logger.error({}, "failed");
    expect(text()).toContain("\u001b[31mERROR\u001b[0m failed");
  });
});

describe("given standard error is a file or a pipe", () => {
  it("when an event is logged, then its line is JSON", () => {
    const lines: string[] = [];
    const out = { write: (line: string) => void lines.push(line) };
    createLogger("info", logStream(out, { isTTY: false })).info({ a: 1 }, "ready");
    expect(JSON.parse(lines.join(""))).toMatchObject({ level: "info", a: 1, msg: "ready" });
  });
});
