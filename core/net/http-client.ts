/** A module of its own, so that it can be loaded on demand: a bundle gives a CommonJS package only its default export then. */
export { Agent, fetch } from "undici";
