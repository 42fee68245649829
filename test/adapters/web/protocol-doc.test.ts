import { readFileSync } from "node:fs";
import { describe, expect, it } from "vitest";
import { WebLimits } from "../../../adapters/web/config.ts";
import { ClientFrame, ErrorCodes, ServerFrame } from "../../../adapters/web/protocol.ts";
import { closeCodes } from "../../../adapters/web/protocol-constants.ts";

const doc = readFileSync(new URL("../../../docs/protocol.md", import.meta.url), "utf8");
const examples = (side: "client" | "server"): unknown[] =>
  [...doc.matchAll(new RegExp(`\`\`\`json ${side}\n(.*?)\`\`\``, "gs"))].map(([, json]) => JSON.parse(json ?? ""));
const section = (title: string): string => doc.split(`## ${title}\n`)[1]?.split("\n## ")[0] ?? "";
const rows = (title: string): string[] =>
  [...section(title).matchAll(/^\| `?(?!code)([a-z0-9][a-z0-9-]*)`? *\|/gm)].map(([, name]) => name ?? "");
const typesOf = (schema: { options: readonly { shape: { type: { value: string } } }[] }): string[] =>
  schema.options.map(({ shape }) => shape.type.value);

describe("given docs/protocol.md", () => {
  it.each([["client", ClientFrame] as const, ["server", ServerFrame] as const])(
    "when its example frames of the %s are parsed, then each is valid, and every type has one",
    (side, schema) => {
      const frames = examples(side);
      const parsed = frames.map((frame) => schema.parse(frame));
      expect(parsed).toEqual(frames);
      expect(new Set(parsed.map(({ type }) => type))).toEqual(new Set(typesOf(schema)));
    },
  );

  it("then it has a row for every error code and close code, and no others", () => {
    expect(new Set(rows("Error codes"))).toEqual(new Set(ErrorCodes));
    const codes = rows("Close codes");
    expect(new Set(codes.map(Number))).toEqual(new Set(Object.values(closeCodes)));
  });

  it("then its limits are the defaults", () => {
    const { frameBytes, textLength, ...rest } = WebLimits.parse({});
    const limitsText = section("Limits");
    expect(limitsText).toContain(`${frameBytes / 1024} kB`);
    for (const limit of [textLength, ...Object.values(rest)]) expect(limitsText).toContain(limit.toLocaleString("en"));
  });
});
