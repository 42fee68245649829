import { describe, expect, it } from "vitest";
import type { Shown } from "../../../../adapters/web/client/transcript.ts";
import { TerminalView } from "../../../../adapters/web/terminal/terminal-view.ts";

const viewOn = (isLive: boolean) => {
  let text = "";
  let remarks = "";
  const write = (more: string) => {
    text += more;
  };
  const warn = (more: string) => {
    remarks += more;
  };
  return {
    view: new TerminalView({ write, warn, isLive, isStyled: isLive }),
    raw: () => text,
    remarks: () => remarks,
    text: () => text.replaceAll("\u001b[2m", "").replaceAll("\u001b[22m", ""),
  };
};
const reply = (markdown: string, rest: Partial<Shown> = {}): Shown =>
  ({
    type: "reply",
    seq: 2,
    id: "t/final",
    kind: "final",
    markdown,
    createdAt: "2026-03-10T21:14:00.000Z",
    ...rest,
  }) as Shown;
const delta = (offset: number, text: string, attempt = 0) =>
  ({ type: "delta", correlationId: "m-1", attempt, offset, text }) as const;

describe("given a terminal", () => {
  it("when an answer streams in, then each word is shown once", () => {
    const { view, text } = viewOn(true);
    view.delta(delta(0, "high "));
    view.delta(delta(5, "tide"));
    view.delta(delta(5, "tide"));
    view.reply(reply("high tide at noon", { correlationId: "m-1" }));
    expect(text()).toBe("high tide at noon\n");
  });

  it("when another reply arrives during a streamed answer, then it has its own line, and the answer follows whole", () => {
    const { view, text } = viewOn(true);
    view.delta(delta(0, "high "));
    view.reply(reply("the commands", { correlationId: "m-2" }));
    view.delta(delta(5, "tide"));
    view.reply(reply("high tide", { correlationId: "m-1" }));
    expect(text()).toBe("high \nthe commands\nhigh tide\n");
  });

  it("when the final answer differs from the stream, then the whole answer is shown", () => {
    const { view, text } = viewOn(true);
    view.delta(delta(0, "low "));
    view.reply(reply("high tide", { correlationId: "m-1" }));
    expect(text()).toBe("low \nhigh tide\n");
  });

  it("when a proactive message arrives, then its anchor stands before the text (O9)", () => {
    const { view, text } = viewOn(true);
    const anchor = {
      summary: "knots",
      channel: "slack",
      startedAt: "2026-03-10T21:14:00.000Z",
      text: '↳ Re: "knots"\nstarted 21:14 from Slack · 2h ago',
    };
    view.reply(reply("All about knots.", { anchor }));
    expect(text()).toBe('↳ Re: "knots"\nstarted 21:14 from Slack · 2h ago\nAll about knots.\n');
  });

  it("when received text has control characters, then none reaches the terminal", () => {
    const { view, text } = viewOn(false);
    view.reply(reply("a\u001b[31mb\u0007c\u009bd\u202ee\r\nf\tg"));
    expect(text()).toBe("a[31mbcde\nf\tg\n");
  });

  it("when an answer with markdown streams in, then it is styled, and no marker is shown", () => {
    const { view, raw } = viewOn(true);
    const markdown = "# Tides\n\nHigh at **noon**, see `tide --now`.\n\n- one\n- two";
    for (let at = 0; at < 30; at += 3) view.delta(delta(at, markdown.slice(at, at + 3)));
    view.reply(reply(markdown, { correlationId: "m-1" }));
    expect(raw()).toBe(
      "\u001b[1mTides\u001b[22m\n\nHigh at \u001b[1mnoon\u001b[22m, see \u001b[36mtide --now\u001b[39m.\n\n• one\n• two\n",
    );
  });

  it("when an answer is empty, then nothing is shown (B7)", () => {
    const { view, text } = viewOn(true);
    view.reply(reply("", { outcome: "nothing" }));
    expect(text()).toBe("");
  });
});

describe("given a script", () => {
  it("when it gets an answer, then the output is the markdown of that answer and nothing else", () => {
    const { view, raw, remarks } = viewOn(false);
    view.welcomed("mooring");
    view.said({ type: "said", seq: 1, id: "m-0", text: "from a browser", createdAt: "" } as never);
    view.reply(reply("2 helpers are at work", { activity: { id: "a" } } as never));
    view.note("The gateway does not answer. Reconnecting …");
    view.reply(reply("**high** tide", { correlationId: "m-1" }));
    expect(raw()).toBe("**high** tide\n");
    expect(remarks()).toBe("The gateway does not answer. Reconnecting …\n");
  });
});
