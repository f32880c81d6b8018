// Every primitive of the language.
import { call } from "../control/call.js";
import { checkpoint } from "../control/checkpoint.js";
import { cond } from "../control/cond.js";
import { reverseOnly } from "../control/reverseOnly.js";
import { scan } from "../control/scan.js";
import { shardMap } from "../control/shardMap.js";
import { whileLoop } from "../control/while.js";
import type { Primitive } from "../core/primitive.js";
import * as arithmetic from "./arithmetic.js";
import { barrier } from "./barrier.js";
import { broadcast } from "./broadcast.js";
import * as collectives from "./collectives.js";
import { concatenate } from "./concatenate.js";
import { constantArray } from "./constant.js";
import { bitcast, convert, stopGradient } from "./convert.js";
import { debugPrint } from "./debugPrint.js";
import { dot } from "./dot.js";
import { dynamicSlice, dynamicUpdateSlice } from "./dynamicSlice.js";
import { gather, scatter } from "./gather.js";
import { gammaSample } from "../random/gammaDerivative.js";
import { iota } from "./iota.js";
import * as logic from "./logic.js";
import { argMax, argMin, reduceMax, reduceMin, reduceSum } from "./reduce.js";
import { flip, reshape, transpose } from "./reshape.js";
import { shardingConstraint } from "./shardingConstraint.js";
import { select } from "./select.js";
import { pad, slice } from "./slice.js";
import { sort } from "./sort.js";
import { threefry2x32 } from "./threefry.js";
import * as transcendental from "./transcendental.js";
import { window, windowSum } from "./window.js";

export const primitives: readonly Primitive[] = [
  ...Object.values(arithmetic),
  ...Object.values(transcendental),
  ...Object.values(logic),
  ...[select, convert, bitcast, stopGradient],
  ...[iota, broadcast, reshape, transpose, flip, slice, pad, concatenate],
  ...[dynamicSlice, dynamicUpdateSlice, gather, scatter, window, windowSum],
  ...[reduceSum, reduceMax, reduceMin, argMax, argMin, sort, dot],
  ...[scan, whileLoop, cond, shardMap],
  ...[call, reverseOnly, checkpoint, barrier, constantArray],
  ...Object.values(collectives),
  ...[shardingConstraint],
  ...[threefry2x32, gammaSample, debugPrint],
] as readonly Primitive[];
