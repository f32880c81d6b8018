// Random programs on XLA.
import { xlaProblem } from "../../../src/device/index.js";
import { describeRandomPrograms } from "../randomPrograms.js";

describeRandomPrograms("gpu", xlaProblem());
