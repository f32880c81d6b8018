// Random programs on a real GPU.
import { cudaProblem } from "../../../src/device/index.js";
import { describeRandomPrograms } from "../randomPrograms.js";

describeRandomPrograms("cuda", cudaProblem());
