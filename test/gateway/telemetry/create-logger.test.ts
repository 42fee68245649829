import { describe, expect, it } from "vitest";
import { createLogger } from "../../../gateway/telemetry/create-logger.ts";

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
