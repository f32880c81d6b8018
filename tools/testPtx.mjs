// Runs the compiler's tests with emulated PTX for every program, one build each, and all batches. It takes many minutes.
// npm run test:ptx, or npm run test:ptx -- ptx/ for the batches alone
import { testOn } from "./testOn.mjs";

await testOn("test:ptx", "emulated ptx", process.argv.slice(2), { VIBE_RL_PTX_TESTS: "all" });
