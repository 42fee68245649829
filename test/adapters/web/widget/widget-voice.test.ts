import { describe, expect, it } from "vitest";
import { axeProblems } from "../../../setup/axe-problems.ts";
import { runningGateways } from "../running-gateways.ts";
import type { WebGateway } from "../web-gateway.ts";
import { WidgetInBrowser } from "./widget-in-browser.ts";

const start = runningGateways();
const widget = new WidgetInBrowser({ reducedMotion: "reduce" });

/** Replaces the browser's recognition, which would send sound to a service: the tests speak through `window.mic`. */
const FAKE_RECOGNITION = `
  window.mic = { started: 0, stopped: 0, aborted: 0 };
  class FakeRecognition {
    start() {
      if (window.mic.throws) throw new Error("already started");
      window.mic.started++;
      window.mic.lang = this.lang;
      window.mic.current = this;
    }
    stop() { window.mic.stopped++; this.onend?.(); }
    abort() { window.mic.aborted++; }
  }
  window.mic.say = (...words) => window.mic.current.onresult({ results: words.map((transcript) => [{ transcript }]) });
  window.mic.fail = (error) => { window.mic.current.onerror({ error }); window.mic.current.onend(); };
  delete window.SpeechRecognition;
  window.webkitSpeechRecognition = FakeRecognition;
`;
const WITHOUT_RECOGNITION = "delete window.SpeechRecognition; delete window.webkitSpeechRecognition;";

const withVoice = (): Promise<WebGateway> => start({ config: { voiceInput: true } });
const button = (name: string) => widget.page.getByRole("button", { name, exact: true });
const input = () => widget.page.getByLabel("Your message");
const mic = (call: string) => widget.page.evaluate(`window.mic.${call}`);
const announced = (text: string) =>
  widget.page.locator("[aria-live=polite]", { hasText: text }).waitFor({ state: "attached" });

const openWithVoice = async (): Promise<WebGateway> => {
  const gateway = await withVoice();
  await widget.page.addInitScript(FAKE_RECOGNITION);
  await widget.open(gateway);
  await button("Speak").waitFor();
  return gateway;
};

describe("given a channel that allows voice input, and a browser that has it (C5, U3)", () => {
  it("when the person speaks, then the words are added to the input for review, and nothing is sent by itself", async () => {
    const gateway = await openWithVoice();
    await input().fill("Please");
    await button("Speak").click();
    await widget.page.getByText("Listening… Escape stops.").first().waitFor();
    await announced("Listening… Escape stops.");
    expect(await mic("lang")).toBe("en-GB");
    await mic('say("book a")');
    await expect.poll(() => input().inputValue()).toBe("Please book a");
    await mic('say("book a ", "table")');
    await expect.poll(() => input().inputValue()).toBe("Please book a table");
    await button("Stop listening").click();
    await button("Speak").waitFor();
    await announced("No longer listening.");
    expect(await mic("stopped")).toBe(1);
    expect(gateway.accepted).toHaveLength(0);
    await input().press("Enter");
    expect(await widget.arrived(gateway, 1)).toMatchObject({ text: "Please book a table" });
  });

  it("when Escape is pressed, then listening ends, the words stay, and the chat stays open", async () => {
    await openWithVoice();
    await button("Speak").click();
    await mic('say("hello")');
    await expect.poll(() => input().inputValue()).toBe("hello");
    await widget.page.keyboard.press("Escape");
    await button("Speak").waitFor();
    expect(await mic("aborted")).toBe(1);
    await mic('say("hello again")');
    expect(await input().inputValue()).toBe("hello");
    await widget.page.keyboard.press("Escape");
    await button("Open the chat").waitFor();
  });

  it("when the person types or sends while it listens, then listening ends, and later words are not added", async () => {
    const gateway = await openWithVoice();
    await button("Speak").click();
    await mic('say("hello")');
    await expect.poll(() => input().inputValue()).toBe("hello");
    await input().press("Enter");
    expect(await widget.arrived(gateway, 1)).toMatchObject({ text: "hello" });
    await button("Speak").waitFor();
    await mic('say("hello there")');
    expect(await input().inputValue()).toBe("");
  });

  it.each([
    ["not-allowed", "The microphone is not allowed here. Allow it for this page in your browser."],
    ["no-speech", "There was no speech. Try again."],
    ["network", "Your browser cannot reach its speech service now."],
    ["audio-capture", "No microphone was found."],
    ["language-not-supported", "Your browser does not write down this language."],
    ["bad-grammar", "Your browser could not write that down. Try again."],
  ])(
    "when it fails with %s, then the reason is shown and announced, and the person can try again",
    async (code, text) => {
      await openWithVoice();
      await button("Speak").click();
      await button("Stop listening").waitFor();
      await mic(`fail("${code}")`);
      await widget.page.locator(".voice-state", { hasText: text }).waitFor();
      await announced(text);
      await button("Speak").click();
      await button("Stop listening").waitFor();
      expect(await mic("started")).toBe(2);
    },
  );

  it("when the browser cannot start it, then the person sees that", async () => {
    await openWithVoice();
    await widget.page.evaluate("window.mic.throws = true");
    await button("Speak").click();
    await widget.page.locator(".voice-state", { hasText: "Your browser could not write that down." }).waitFor();
    await button("Speak").waitFor();
  });

  it.each(["light", "dark"])(
    "when axe checks it while it listens in %s colours at 360 px, then it finds no violation",
    async (theme) => {
      await widget.page.setViewportSize({ width: 360, height: 640 });
      widget.site.attributes = `data-theme="${theme}"`;
      await openWithVoice();
      await button("Speak").click();
      await button("Stop listening").waitFor();
      expect(await axeProblems(widget.page)).toEqual([]);
      expect(await widget.page.evaluate("document.documentElement.scrollWidth")).toBeLessThanOrEqual(360);
    },
  );

  it("when the page sets another language, then speech is written down in it, and the texts are in it", async () => {
    const gateway = await withVoice();
    await widget.page.addInitScript(FAKE_RECOGNITION);
    widget.site.gateway = gateway;
    widget.site.attributes = 'data-locale="de-AT" data-open';
    await widget.page.goto(widget.site.url);
    await button("Sprechen").click();
    await widget.page.getByText("Ich höre zu … Escape beendet das.").first().waitFor();
    expect(await mic("lang")).toBe("de-AT");
  });
});

describe("given voice input that is not there (C5)", () => {
  it.each([
    ["the operator has not allowed it", {}, FAKE_RECOGNITION],
    ["the browser does not have it", { voiceInput: true }, WITHOUT_RECOGNITION],
  ])("when %s, then there is no button", async (_, config, script) => {
    const gateway = await start({ config });
    await widget.page.addInitScript(script);
    await widget.begin(gateway);
    // The script with the button is loaded for the list, so that its absence is not a late load.
    await button("Conversations").click();
    await button("Back to the conversation").click();
    await input().waitFor();
    expect(await button("Speak").count()).toBe(0);
  });
});
