import { es } from "./es.ts";

// The script `widget-es.js`, which `widget.js` loads for readers of this language.
window.mooringTexts = { ...window.mooringTexts, es };
