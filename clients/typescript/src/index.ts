export { RestHeart, Transaction, type Account, type Options } from "./client.js";
export { Collection, type Change, type Found, type LiveList, type Query, type Stored } from "./collection.js";
export { Files, type Upload } from "./files.js";
export { Problem } from "./problem.js";
export { toBson } from "./values.js";
