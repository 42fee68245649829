import { useEffect, useLayoutEffect, useRef, useState } from "preact/hooks";
import type { Translation } from "../texts/texts.ts";
import { Icon } from "../view/icon.tsx";
import { useWidget } from "../view/widget-context.ts";
import { useTexts } from "./more-texts.ts";
import { type Recognition, recognitionClass, wordsIn } from "./speech-recognition.ts";

interface VoiceButtonProps {
  /** The text of the composer. */
  readonly text: string;
  readonly write: (text: string) => void;
}

/** Writes down what the person says, at the end of the text, for review: nothing is sent by itself. */
export const VoiceButton = ({ text, write }: VoiceButtonProps) => {
  const { locale, panel } = useWidget();
  const texts = useTexts();
  const running = useRef<Recognition | undefined>(undefined);
  /** The text as this button has written it; any other text is the person's own change. */
  const written = useRef("");
  const [isListening, setListening] = useState(false);
  const [problem, setProblem] = useState("");
  const end = (why = "") => {
    const recognition = running.current;
    running.current = undefined;
    recognition?.abort();
    setListening(false);
    setProblem(why);
    panel.set({ announced: why === "" ? texts.listeningEnded : why });
  };
  const start = () => {
    const Recognizer = recognitionClass();
    if (Recognizer === undefined) return;
    const recognition = new Recognizer();
    const before = text === "" || /\s$/.test(text) ? text : `${text} `;
    const whileRunning =
      <A extends unknown[]>(handle: (...args: A) => void) =>
      (...args: A) => {
        if (running.current === recognition) handle(...args);
      };
    recognition.lang = locale;
    recognition.continuous = true;
    recognition.interimResults = true;
    recognition.onresult = whileRunning(({ results }) => {
      written.current = before + wordsIn(results);
      write(written.current);
    });
    recognition.onerror = whileRunning(({ error }) => end(problemText(texts, error)));
    recognition.onend = whileRunning(() => end());
    written.current = text;
    running.current = recognition;
    setProblem("");
    try {
      recognition.start();
    } catch {
      end(texts.speechFailed);
      return;
    }
    setListening(true);
    panel.set({ announced: texts.listening });
  };
  // The person has typed, sent the message or entered another conversation: later words do not belong there.
  useLayoutEffect(() => {
    if (running.current !== undefined && text !== written.current) end();
  }, [text]);
  const { isOpen } = panel;
  useEffect(() => {
    if (!isOpen && running.current !== undefined) end();
  }, [isOpen]);
  useEffect(() => () => running.current?.abort(), []);
  useEffect(() => {
    if (!isListening) return;
    const onKeyDown = (event: KeyboardEvent) => {
      // The listener outlives the recording until the next paint.
      if (event.key !== "Escape" || running.current === undefined) return;
      // It ends the recording, and does not close the chat as well.
      event.stopPropagation();
      event.preventDefault();
      end();
    };
    // Before the handlers of the chat, wherever the focus is.
    addEventListener("keydown", onKeyDown, true);
    return () => removeEventListener("keydown", onKeyDown, true);
  }, [isListening]);
  const label = isListening ? texts.stopListening : texts.speak;
  return (
    <>
      <button
        type="button"
        class={isListening ? "tool listening" : "tool"}
        aria-label={label}
        title={isListening ? label : texts.speakHint}
        aria-pressed={isListening}
        onClick={() => (isListening ? running.current?.stop() : start())}
      >
        <Icon name="mic" />
      </button>
      <div class="voice-state">{isListening ? texts.listening : problem}</div>
    </>
  );
};

/** By the codes of the Web Speech API. */
const problemText = (texts: Translation, code: string): string => {
  if (code === "not-allowed" || code === "service-not-allowed") return texts.microphoneDenied;
  if (code === "audio-capture") return texts.microphoneMissing;
  if (code === "no-speech") return texts.noSpeech;
  if (code === "network") return texts.speechUnreachable;
  if (code === "language-not-supported") return texts.speechLanguage;
  return code === "aborted" ? "" : texts.speechFailed;
};
