/** The used subset of the Web Speech API, which TypeScript does not know. */
export interface Recognition {
  lang: string;
  continuous: boolean;
  interimResults: boolean;
  onresult: ((event: { readonly results: ArrayLike<ArrayLike<{ readonly transcript: string }>> }) => void) | null;
  onerror: ((event: { readonly error: string }) => void) | null;
  onend: (() => void) | null;
  start(): void;
  /** Ends after the words that were spoken so far. */
  stop(): void;
  /** Ends at once, without them. */
  abort(): void;
}

type RecognitionClass = new () => Recognition;

interface SpeechWindow {
  readonly SpeechRecognition?: RecognitionClass;
  /** Chromium and Safari have it under this name. */
  readonly webkitSpeechRecognition?: RecognitionClass;
}

/** The class of this browser; undefined if it does not write down speech. */
export const recognitionClass = (): RecognitionClass | undefined => {
  const { SpeechRecognition, webkitSpeechRecognition } = window as SpeechWindow;
  return SpeechRecognition ?? webkitSpeechRecognition;
};

/** The text so far, with its provisional end. */
export const wordsIn = (results: ArrayLike<ArrayLike<{ readonly transcript: string }>>): string =>
  Array.from(results, (result) => result[0]?.transcript ?? "")
    .join("")
    .trim();
