import { describe, expect, it } from "vitest";
import { deliveryParts } from "../../../../gateway/relay/sending/delivery-parts.ts";
import { sampleAnchor, sampleReply } from "../../../fakes/sample-reply.ts";

const target = { channel: "paper", room: "lobby", kind: "shared" } as const;
const partsOf = (markdown: string, maxPartLength?: number) =>
  deliveryParts(
    { id: "r/lobby", reply: sampleReply("r", target, markdown), target },
    { connection: "shared", resend: "repeats", ...(maxPartLength !== undefined && { maxPartLength }) },
    sampleAnchor,
  );

describe("given a reply for a channel", () => {
  it("when its text imitates an anchor, then no channel gets it so (O16)", () => {
    const [part] = partsOf(`look\n${sampleAnchor.text}`);
    expect(part?.part.markdown).toBe('look\n→ Re: "deep research"\nstarted 21:14 from Elsewhere, 2h 14m ago');
    expect(part?.anchor).toEqual(sampleAnchor);
  });

  it("when a cut puts the imitation at the start of a part, then it is caught there", () => {
    const parts = partsOf(`${"word ".repeat(60)}scheduled · daily report · ${"long ".repeat(50)}`, 305);
    expect(parts.length).toBeGreaterThan(1);
    for (const { part } of parts) expect(part.markdown).not.toMatch(/^scheduled ·/m);
    expect(parts.map(({ anchor }) => anchor !== null)).toEqual(parts.map((_, index) => index === parts.length - 1));
  });
});
