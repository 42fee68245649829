export { createOwnerLink, LINK_TTL_MINUTES, redeemOwnerLink } from "./owner-links.ts";
export { LINK_PROOF, LINKS_PATH, ownerRoutes } from "./owner-routes.ts";
export { loadOwnerSecret, ownerSecretFile, readOwnerSecret } from "./owner-secret.ts";
