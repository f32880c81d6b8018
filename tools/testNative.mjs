// Runs the compiler's tests with native code for every program, one build each. It takes minutes.
// npm run test:native, or npm run test:native -- random golden
import { testOn } from "./testOn.mjs";

await testOn("test:native", "native", process.argv.slice(2));
