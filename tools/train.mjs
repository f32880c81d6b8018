// npm run train -- <preset> …: builds what is needed, then trains.
import "./build.mjs";

const { start } = await import("../dist/cli/start.js");
process.exitCode = await start(["train", ...process.argv.slice(2)]);
