export { fileLinker } from "./file-linker.ts";
export { fileRoutes, filesHostOnly } from "./file-routes.ts";
