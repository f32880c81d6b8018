// npm run train -- <preset> …: builds what is needed, then trains.
import "./build.mjs";

const { main } = await import("../dist/cli/index.js");
process.exitCode = await main(["train", ...process.argv.slice(2)]);
