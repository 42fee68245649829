/** `console.js` and `console.css`, which the console's page loads. */
export declare const buildConsole: (folder: string) => Promise<unknown>;
