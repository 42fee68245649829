import { de } from "./de.ts";

// The script `widget-de.js`, which `widget.js` loads for readers of this language.
window.mooringTexts = { ...window.mooringTexts, de };
